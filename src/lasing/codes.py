"""The codes of all errors and warnings, and what each is about. The page of errors in the docs is printed from here.

A code is stable: it keeps its meaning, and a new finding gets a new one.
"""

from __future__ import annotations

from collections.abc import Mapping

SECTIONS: Mapping[str, Mapping[str, str]] = {
    "The text of a program": {
        "E101": "a block comment is never closed",
        "E102": "a string is never closed, or has an unknown escape",
        "E103": "a character that begins no word",
        "E104": "a number beyond 64 bits, or beyond the range of doubles",
        "E105": "something else was expected here; a date that is not quoted",
        "E106": "nested more than 50 levels deep, or more than 100 operators in one term",
        "E107": (
            "the size of a window: not a whole number, negative, beyond 2^59 time points, `#0`, a step of "
            "zero, an unknown constant"
        ),
        "E108": "a duration without a `#tick`, or that is no whole number of ticks; a bad `#tick`",
        "E109": "an unknown directive or aggregate",
        "E110": "an included file cannot be read, or files include one another more than 50 levels deep",
        "E111": "a second value for a constant or the tick",
        "E112": "a window in a head",
        "E113": "a constant, a fact or its time without a value",
        "E114": "a constant is set that the program does not have",
        "E115": (
            "a choice: nothing in its braces, something beside them in the head, a bound that is no integer, "
            "an aggregate in a condition where there are bounds, arithmetic where there are bounds and "
            "several elements, a variable of an element that is another one in an aggregate of the body"
        ),
        "E116": (
            "a weak constraint without a penalty, an element of `#minimize` or `#maximize` without a "
            "condition, a weight or level that is no integer"
        ),
    },
    "The meaning of a program": {
        "E201": "a variable that nothing binds, or that literals bind only for one another",
        "E202": "a predicate with two numbers of arguments",
        "E203": "a tuple window over a derived predicate",
        "E204": "a partition window with `always`",
        "E205": "a partition window by something that is no variable of its atom",
        "E206": "◇ or □ without a window",
    },
    "Running a program": {
        "E301": (
            "negation, or an aggregate, in a cycle: the program may have none, one or several answers at a "
            "time point, and exactly one is needed"
        ),
        "E302": "a disjunction or a choice in a head, where exactly one answer is needed",
        "E303": "a constraint or a weak constraint, where exactly one answer is needed",
        "E304": (
            "more atoms at one time point than `max_atoms` allows (5,000,000; 200,000 for engines other than "
            "the local one): a recursion without end, or a join that explodes"
        ),
        "E305": "there is no such engine, language, view, delay or number of shards",
        "E306": "a timeline that ends before it starts, or less than one answer asked for",
        "E307": "the local engine was asked for, and cannot run the program",
        "E308": "facts were pushed for a time that has passed, or that lies before the start",
        "E309": "the one answer was asked for at a time point that has none, or several",
        "E310": (
            "an aggregate over too many atoms that differ between answers, or a sum or cost beyond what clingo adds up"
        ),
        "E311": "the reference engine tries all sets of derivable atoms, and these are too many",
        "E312": "the program needs clingo, which is not installed",
        "E313": "a formula counts facts, and too many are possible to try all streams",
        "E314": (
            "atoms that are not ground, or are needed and not named; rules beside a formula, or data beside "
            "one for which a stream is looked for"
        ),
        "E315": "the engine needs more memory than `max_memory` allows (half of the machine's)",
        "E316": "the evaluation takes longer than `max_time` allows",
        "E317": (
            "the engine was stopped in the middle of an evaluation, by a limit or an interrupt, and cannot go "
            "on: restore one from a snapshot"
        ),
    },
    "Files and data": {
        "E401": "a file cannot be read, or not unpacked",
        "E402": "a text is not UTF-8, or a program has zero bytes",
        "E403": "a file, or standard output, cannot be written",
        "E501": "a line is no fact, no CSV, no JSON object; a file is no Parquet, or is damaged",
        "E502": "something is not a time",
        "E503": "a date and time, but the program has no `#tick`",
        "E504": "a row is out of order",
        "E505": "a table lacks a column or has one twice, or a row has other columns than the first",
        "E506": (
            "a value is missing, beyond 64 bits, not Unicode text, or of a type that is no constant; a time "
            "is beyond 2^59"
        ),
        "E507": "a line of more than 16 MiB, or a program of more than 256 MiB",
        "E508": "a fact has another number of arguments than in the program",
        "E509": "not a predicate's name",
        "E510": "not a program, not a stream, or not a row",
        "E511": "a file of unknown format, to read or to write; a program whose ending is that of no language",
        "E512": "a table is no snapshot of an engine, is damaged, or belongs to another program",
    },
    "Spark and pipelines": {
        "E601": "Spark needs Java 17 or newer, and there is none",
        "E602": "PySpark, pandas or paho-mqtt is not installed",
        "E603": "a row of a DataFrame has no value where one is needed",
        "E604": "a DataFrame does not fit the program: its columns, their types, its time",
        "E605": "the program has no such output",
        "E606": "there is no stream to drain",
        "E607": "shards were asked for, and the program cannot be divided",
        "E608": (
            "the checkpoint is that of another program, of one that was divided otherwise, or of another "
            "version of lasing"
        ),
        "E611": "a pipeline's file is not TOML",
        "E612": "a mistake in a pipeline's file",
        "E613": "a source of a pipeline cannot be reached or read",
        "E614": "a query stopped: a row cannot be read, the state is damaged, or for a reason that Spark gives",
        "E615": "the disk is full",
    },
    "Warnings": {
        "W101": "a predicate that is neither derived, streamed nor background",
        "W102": "a rule that never fires",
        "W103": "state without bound: a literal that may need data of any age",
        "W104": "`#show` of something that is never there",
        "W105": "a `#avg` or `#sum` over a window in which equal values count once",
        "W201": "facts before the start of the timeline were ignored",
        "W202": "derived atoms before the start of the timeline were dropped",
        "W203": (
            "instances of a rule had no value, and failed; with one of them as an example: its variables and "
            "its time point, and the name that an aggregate met"
        ),
        "W204": "facts of a predicate that the program does not use",
        "W205": "there is no place to keep compiled kernels",
        "W206": "rows that lack a value were left out",
        "W601": "many more partitions than shards: most of Spark's tasks will be empty",
        "W602": "the program cannot be divided among shards, so one does all the work",
        "W603": "everything waits for a source that brings no facts",
    },
}

CODES: Mapping[str, str] = {code: what for section in SECTIONS.values() for code, what in section.items()}


def page() -> str:
    """The page of errors, in Markdown."""
    lines = [
        "# Errors and warnings",
        "",
        "Every finding has a code, and where it concerns a text, the place and a note on what to do. "
        "`tests/golden/programs` shows each of those about programs. This page is printed from `lasing/codes.py`.",
    ]
    for title, codes in SECTIONS.items():
        lines += ["", f"## {title}", "", "| code | |", "|---|---|"]
        lines += [f"| {code} | {what} |" for code, what in codes.items()]
    return "\n".join(lines) + "\n"
