"""The codes of all errors and warnings, and what each is about. The errors page of the docs is generated from here.

A code is stable: it keeps its meaning, and a new finding gets a new one.
"""

from __future__ import annotations

from collections.abc import Mapping

SECTIONS: Mapping[str, Mapping[str, str]] = {
    "The text of a program": {
        "E101": "a block comment is never closed",
        "E102": "a string is never closed, or contains an unknown escape",
        "E103": "a character that cannot start a word",
        "E104": "a number beyond 64 bits, or beyond the range of doubles",
        "E105": "something else was expected here; also a date without quotes",
        "E106": "more than 50 levels of nesting, or more than 100 operators in one term",
        "E107": (
            "a wrong window size: not a whole number, negative, beyond 2^59 time points, `#0`, a step of "
            "zero, or an unknown constant"
        ),
        "E108": "a duration without a `#tick`, or one that is not a whole number of ticks; a wrong `#tick`",
        "E109": "an unknown directive or aggregate",
        "E110": "an included file cannot be read, or the includes are nested more than 50 levels deep",
        "E111": "a second value for a constant or the tick",
        "E112": "a window in a head",
        "E113": "a constant, a fact or the time of a fact has no value",
        "E114": "you set a constant that the program does not have",
        "E115": (
            "a wrong choice: empty braces, something next to the braces in the head, a bound that is not an "
            "integer, an aggregate in a condition of a choice with bounds, arithmetic in a choice with bounds "
            "and several elements, or a variable of an element that is a different variable in an aggregate "
            "of the body"
        ),
        "E116": (
            "a weak constraint without a penalty, an element of `#minimize` or `#maximize` without a "
            "condition, or a weight or level that is not an integer"
        ),
        "E117": "a prefix that is not declared, or without a name",
        "E118": (
            "a wrong `#first` or `#last`: a number of tuples that is not a positive integer, more or fewer terms "
            "before `=` than in the braces, or another comparison than `=`"
        ),
        "E119": "a fact or a constant calls a function of the user, which only rules can do",
        "E120": "a program includes a file that is neither in its folder nor in one that `--allow` names",
    },
    "The meaning of a program": {
        "E201": "nothing binds a variable, or literals bind it only in a circle",
        "E202": "a predicate is used with different numbers of arguments",
        "E203": "a tuple window over a derived predicate",
        "E204": "a partition window with `always`",
        "E205": "a partition window by something that is not a variable of its atom",
        "E206": "◇ or □ without a window",
        "E207": "a regular expression, or its flags, that cannot be read",
        "E208": (
            "a wrong `#stream`: no rule derives the predicate, one derives it with a time (`at T`), or answers can "
            "differ on it"
        ),
    },
    "Running a program": {
        "E301": (
            "negation, or an aggregate, in a cycle: the program can have none, one or several answers at a "
            "time point, but exactly one is needed"
        ),
        "E302": "a disjunction or a choice in a head, but exactly one answer is needed",
        "E303": "a constraint or a weak constraint, but exactly one answer is needed",
        "E304": (
            "one time point derives more atoms than `max_atoms` allows (5,000,000; 200,000 for engines other "
            "than the local one): an endless recursion, or a join that explodes"
        ),
        "E305": "an engine, language, view, delay or number of shards that does not exist",
        "E306": "a timeline that ends before it starts, or a request for fewer than one answer",
        "E307": "you asked for the local engine, which cannot run this program",
        "E308": "you pushed facts for a time that has passed, or that is before the start",
        "E309": "you asked for the one answer at a time point that has none or several",
        "E310": (
            "an aggregate over too many atoms that differ between answers, or a sum or cost that is too large "
            "for clingo"
        ),
        "E311": "the reference engine tries all sets of derivable atoms, and there are too many",
        "E312": "the program needs clingo, which is not installed",
        "E313": "a formula counts facts, and there are too many possible facts to try all streams",
        "E314": (
            "atoms that are not ground, or that are needed but not named; rules next to a formula; data next to a "
            "formula for which you want a stream"
        ),
        "E315": "the engine needs more memory than `max_memory` allows (by default, half of the machine's memory)",
        "E316": "the evaluation takes longer than `max_time` allows",
        "E317": (
            "a limit or an interrupt stopped the engine in the middle of an evaluation, and it cannot "
            "continue: restore it from a snapshot"
        ),
        "E318": "the program calls `@f`, and there is no function f of the user, or it takes other arguments",
        "E319": "a function of the user raised an exception, or returned something that is no value",
        "E320": "functions of the user that cannot be used: not callable, a wrong name, or a module without them",
        "E321": "you asked for frames of pandas or Polars, which is not installed",
        "E322": "you asked for a frame of answers that would have too many rows",
        "E323": "you asked for frames of a run that has already begun",
        "E324": "`Engine.on` names something that is not an output of the program, or a function that cannot be called",
        "E325": "a function that `Engine.on` calls pushes facts into the engine that calls it",
        "E329": (
            "a program cannot replace the running one with complete answers: it looks back on facts that were not kept "
            "([how to go on](../how-to/change-rules.md#what-the-old-program-has-not-kept))"
        ),
        "E330": "a program cannot replace the running one: its tick or the arguments of a predicate are different",
        "E333": "what you asked to explain is not an atom of the program",
        "E335": "you asked why an atom holds that does not, or why one does not that does",
        "E336": "the stream can be read only once, and explanations and timelines read it again",
        "E760": "there is no model of that number to explain",
        "E770": "there is nothing to draw: the stream of a timeline has no facts, or a program has no plan",
        "E771": "a timeline is saved as something other than .svg, .html or .json",
        "E772": "Altair is not installed, which draws charts of timelines",
        "E773": "a cell of `%%lars` has wrong options, or names something that is not a stream",
    },
    "Files and data": {
        "E401": "a file cannot be read or decompressed",
        "E402": "a text is not UTF-8, or a program contains zero bytes",
        "E403": "a file, or standard output, cannot be written",
        "E501": "a line is not a fact, CSV or a JSON object; a file is not Parquet, or is damaged",
        "E502": "something is not a time",
        "E503": "a date and time, or a clock, although the program has no `#tick`",
        "E504": "a row is out of order",
        "E505": "a table lacks a column or has it twice, or the columns of a row differ from those of the first",
        "E506": (
            "a value is missing, beyond 64 bits, not Unicode text, or of a type that cannot be a constant, or that its "
            "column of SQL cannot have; a time is beyond 2^59; a table from a file has a row twice"
        ),
        "E507": "a line of more than 16 MiB, or a program of more than 256 MiB",
        "E508": "a fact has a different number of arguments than in the program",
        "E509": "not the name of a predicate",
        "E510": "not a program, not a stream, or not a row",
        "E511": "a file has an unknown format, or the ending of a program's file belongs to no language",
        "E512": "a table is not a snapshot of an engine, is damaged, or lacks facts that the program looks back on",
        "E513": "CSV cannot hold this text: it would read back as an IRI, a blank node or a literal",
        "E514": "reading or writing RDF needs a library that is not installed",
        "E515": "a mistake in a mapping from tables to RDF",
        "E516": "an atom cannot be written as RDF, because it is not a triple",
        "E517": "more rows are bad than `max_bad_rows` allows; the first of each kind are listed before",
    },
    "Live sources and sinks": {
        "E520": "the other side refuses for good: a wrong user or password, no permission, an answer such as 404",
        "E521": "TLS failed: a certificate that is not trusted or names another host, or a file of TLS cannot be used",
        "E522": "a secret is missing: its environment variable is not set, its file cannot be read, or it is empty",
        "E523": "a journal of received messages is damaged, or does not belong to the checkpoint",
        "E524": "an address or a setting of a live source or sink is wrong, or two of them contradict each other",
        "E525": "a sink gave up: the other side could not be reached, or did not answer, for too long",
        "E526": (
            "a file that is followed, or written, is not what it was: it lacks lines that a checkpoint counts as read "
            "or written"
        ),
        "E530": "Kafka no longer has the messages after a checkpoint: they were deleted, or the topic was made anew",
    },
    "Queries": {
        "E701": "a query has a syntax error",
        "E702": "a query asks for something that is not supported, such as SERVICE",
        "E703": "a mistake in a streaming clause of a query: a window, a stream, a report",
        "E704": "a query names a file that it may not read",
        "E705": "reading a query needs a library that is not installed",
        "E706": "`lasing query` answers one query over files: this is a program, or a query over streams",
    },
    "Event patterns": {
        "E711": "an event pattern has a syntax error",
        "E712": "an event pattern uses an event, attribute, parameter or name that is not known, or that does not fit",
        "E713": "an attribute has the wrong type, a value of the wrong type, or none",
        "E714": "an event defines itself at the same time point",
    },
    "SQL": {
        "E721": "a query in SQL, or another statement, has a syntax error",
        "E722": "a stream, table, view, column or function is not known, is known twice, or does not fit",
        "E723": "a column or an expression has the wrong type",
        "E724": "a window is wrong, is missing, or belongs to no stream; a length of time is no whole number of ticks",
        "E725": "an aggregate where none can be, or a column that is not the same for all rows of a group",
        "E726": "a query asks for something that SQL has and that is not supported here",
        "E727": "reading SQL needs a library that is not installed",
    },
    "Events with intervals": {
        "E731": "a rule of ETALIS has a syntax error",
        "E732": (
            "a rule of ETALIS uses an event or a static atom that is not known, has two meanings, or has another "
            "number of arguments elsewhere; an unknown encoding"
        ),
        "E733": "a variable of a rule of ETALIS has no value",
        "E734": "an argument of an event is a constant of another type than the declared one",
        "E735": "an event depends on which of its own intervals NOT excludes, or a static atom on its own negation",
        "E736": "a length is not a whole number of time points, or has no unit where others have one",
    },
    "Editors": {
        "E790": "there is nothing to rename here: only predicates and variables have names of their own",
        "E791": "a predicate cannot be renamed while the program, or one that includes it, has mistakes",
        "E792": "a new name is no name, is taken, or would change what the program means",
        "E793": "a folder has too many files to find every program that includes this one",
        "E794": "`lasing lsp` needs a library that is not installed",
    },
    "Spark and pipelines": {
        "E601": "Spark needs Java 17 or newer, but it is not installed",
        "E602": "PySpark, pandas or paho-mqtt is not installed",
        "E604": "a DataFrame does not fit the program: its columns, their types, its time",
        "E605": "the program does not have this output",
        "E606": "there is no stream to drain",
        "E607": "you asked for shards, but the program cannot be divided",
        "E608": "the checkpoint belongs to another program, a different division, or another version of lasing",
        "E611": "a pipeline file is not TOML",
        "E612": "a mistake in a pipeline file",
        "E613": "a source of a pipeline cannot be reached or read",
        "E614": "a query stopped: a row cannot be read, the state is damaged, or another reason that Spark gives",
        "E615": "the disk is full",
        "E616": "another pipeline uses the checkpoint",
        "E617": "a checkpoint or a file of results cannot be written",
        "E618": "a checkpoint is damaged",
        "E619": "a file that a pipeline follows has become shorter",
        "E620": "the folder or file of a sink is not what the checkpoint says",
        "E623": "nothing is kept of a time point: before the oldest checkpoint, after the last, or there is none",
        "E624": "the checkpoints do not have all facts that the answers at a time point depend on",
        "E625": "the states of a Spark checkpoint cannot be read",
    },
    "The page": {
        "E780": "the page needs a library that is not installed",
        "E781": "the page cannot be served at this address",
        "E782": "the page may not be opened this way: another name or site, no token, or one that is too short",
        "E783": "a program or a stream is too large for the page",
        "E784": "too many pages are running something, or a session has ended",
        "E785": "what the page asked for took too long and was stopped",
        "E786": "what the page asked for needed too much memory and was stopped",
        "E787": "the page asked for something that does not exist, or its process has ended",
        "E788": "a stream of the page has a wrong name, or is not one that the command line named",
        "E789": "the page is not attached to anything that could answer, or only to one that is busy",
    },
    "Warnings": {
        "W101": "a predicate that nothing provides: it is not derived, streamed or background",
        "W102": "a rule that never fires",
        "W103": "unbounded state: a literal can need data of any age",
        "W104": "`#show` of something that never occurs",
        "W105": "a `#avg`, `#sum` or `#concat` over a window in which equal values count once",
        "W106": "a time point is compared with a date in quotes, which is text there",
        "W107": "a window over a derived predicate that is not remembered, so it sees only what is derived now",
        "W108": "a query declares a window, and matches nothing in it",
        "W201": "facts before the start of the timeline were ignored",
        "W202": "derived atoms before the start of the timeline were dropped",
        "W203": (
            "instances of a rule had no value and failed. The warning shows one as an example, with its "
            "variables, its time point, and the name that an aggregate met"
        ),
        "W204": "facts of a predicate that the program does not use",
        "W205": "there is no writable place to cache compiled kernels",
        "W206": (
            "rows that lack a value were left out; [`missing`](../how-to/read-streams.md#missing-values) "
            "chooses otherwise"
        ),
        "W207": "events that are not as declared: a wrong number of values, or a value of the wrong type",
        "W208": (
            "facts came too late, after their time point was closed, and were left out; [a "
            "delay](../how-to/feed-an-engine.md#facts-out-of-order) waits for them"
        ),
        "W209": "bad rows were left out; [`--bad-rows`](../how-to/read-streams.md#bad-rows) writes them to a file",
        "W210": "the data of a query is inconsistent, by a rule of its entailment regime",
        "W212": "a live source or sink lost its connection, cannot be reached yet, or its file was cut; it goes on",
        "W213": (
            "a connection to another machine without TLS, or a password in a file of settings: "
            "[secrets](../how-to/live-sources.md#secrets) come from the environment or a file of their own"
        ),
        "W214": (
            "a pipeline was stopped before its sinks had taken everything; the rest is in the checkpoint, and the next "
            "run delivers it"
        ),
        "W217": (
            "an event of a pattern of ETALIS can be of any age, because no limit bounds the pattern, or because of the "
            "separable encoding; or a window of SQL keeps all rows"
        ),
        "W218": (
            "the separable encoding of ETALIS merges intervals of one event that overlap or touch, which some streams "
            "may have"
        ),
        "W601": "there are many more partitions than shards, so most of Spark's tasks will be empty",
        "W602": "the program cannot be divided into shards, so one shard does all the work",
        "W603": "everything waits for a source that delivers no facts",
        "W604": "a setting of a pipeline file has no effect with its engine",
        "W607": (
            "about a program that takes the place of another one in a pipeline: it was not used because of a mistake, "
            "it has not changed, or its answers are incomplete for some time"
        ),
    },
}

CODES: Mapping[str, str] = {code: what for section in SECTIONS.values() for code, what in section.items()}


def page() -> str:
    """The errors page, in Markdown."""
    lines = [
        "# Errors and warnings",
        "",
        "Every error and warning has a code. If it is about a text, it also has the place and a note that says what to "
        "do. `tests/golden/programs` has an example of each one about programs.",
        "",
        "This page is generated from `lasing/codes.py`.",
    ]
    for title, codes in SECTIONS.items():
        lines += ["", f"## {title}", "", "| code | meaning |", "|---|---|"]
        lines += [f"| {code} | {what} |" for code, what in codes.items()]
    return "\n".join(lines) + "\n"
