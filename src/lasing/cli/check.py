"""`lasing check`: report every finding about a program, and what it will cost to run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import groupby
from typing import Annotated, Any, assert_never

import typer

from lasing.background import with_background
from lasing.cli.console import complain
from lasing.cli.options import (
    AllowedFolders,
    DataFiles,
    EntailmentRegimes,
    Language,
    choose,
    constants_of,
    read_sources,
)
from lasing.engine_choice import plan_for
from lasing.entailment import with_entailment
from lasing.errors import Diagnostic, fault, in_order, similar
from lasing.languages import examine
from lasing.logic.analysis import Analysis, RuleAnalysis, analyse
from lasing.logic.checks import CAUTIONS, findings
from lasing.logic.checks.several_answers import cycle_text
from lasing.logic.facts import argument_variables, facts_of
from lasing.logic.formulas import head_atom
from lasing.logic.history import history
from lasing.logic.lookback import Lookback
from lasing.logic.partition import NoKey, Partition, not_streamed, partition
from lasing.logic.printer import formula_text
from lasing.logic.program import Program
from lasing.logic.runs import reach_of_streams
from lasing.logic.splitting import Split
from lasing.logic.terms import Term, term_text
from lasing.plan.manners import Manners
from lasing.plan.nodes import Plan
from lasing.plan.picture import picture
from lasing.plan.show import show

NO_PLAN = "no plan: the local engine has no part in this program"
_MOST_NAMES = 8


def check(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="PROGRAM...",
            help="The programs (.lars), queries (.rq .sparql .rspql .csparql .cqels) or event patterns "
            "(.tesla .dotr .etalis).",
            show_default=False,
        ),
    ],
    form: Annotated[
        str,
        typer.Option("--format", metavar="FORMAT", help="Print text or json; with --plan also svg, a picture of it."),
    ] = "text",
    plan: Annotated[
        bool, typer.Option("--plan", help="Show the plan of the local engine: relations, rules and join orders.")
    ] = False,
    replicate: Annotated[
        str,
        typer.Option(
            "--replicate",
            metavar="PREDICATES",
            help="Give every shard all facts of these streams, such as door,jam.",
            show_default=False,
        ),
    ] = "",
    const: Annotated[
        list[str] | None,
        typer.Option("--const", "-c", metavar="NAME=VALUE", help="Set a #const; can be repeated.", show_default=False),
    ] = None,
    data: DataFiles = None,
    entail: EntailmentRegimes = None,
    allow: AllowedFolders = None,
    language: Language = None,
) -> None:
    """Find mistakes in a program and explain how it will run.

    Findings go to standard error (with --format json, to standard output with the rest). The exit code is 1 if any
    of them is an error.
    """
    choose("--format", form, ("text", "json", "svg"))
    if form == "svg" and not plan:
        raise typer.BadParameter("svg is a picture of the plan: add --plan", param_hint="--format")
    program, found = examine(read_sources(files, allow, data), constants_of(const or []), language)
    if not found:
        program = with_entailment(with_background(program, data), entail)
    background = not_streamed(program, facts_of(program).streamed) if program.inputs else frozenset[str]()
    shards = None if found else partition(program, _predicates(program, replicate), background)
    if not found:
        found = in_order(findings(program, CAUTIONS))
    errors = [d for d in found if d.severity == "error"]
    analysis = analyse(program)
    runs = Manners(program, analysis, has_mistakes=bool(errors))
    made = _plan(program, analysis, errors) if plan else None
    shown = "" if made is None else show(made)
    if form == "json":
        described = _json(program, analysis, runs, shards, found)
        if plan:
            described["plan"] = shown.splitlines() or None
        typer.echo(json.dumps(described, indent=2, ensure_ascii=False))
    elif form == "svg":
        complain(found)
        if made is not None:
            typer.echo(picture(made), nl=False)
        elif not errors:
            raise fault("E770", NO_PLAN, note="--plan --format text says what is known about it")
    else:
        complain(found)
        if not errors:
            assert shards is not None, "a program without mistakes has an analysis"
            typer.echo(_text(program, analysis, runs, shards, len(found)))
            if plan:
                typer.echo(f"\n{shown or NO_PLAN}")
    if errors:
        raise typer.Exit(1)


def _predicates(program: Program, text: str) -> frozenset[str]:
    """The predicates in `p,q`; the program must have all of them."""
    known = facts_of(program).arity_with_data
    names = frozenset(name for part in text.split(",") if (name := part.strip()))
    for name in sorted(names - known.keys()):
        hint = f": {note}" if (note := similar(name, known)) else ""
        raise typer.BadParameter(f"the program has no predicate {name}{hint}", param_hint="--replicate")
    return names


def _plan(program: Program, analysis: Analysis, errors: list[Diagnostic]) -> Plan | None:
    """The plan of the decided part; None if the program has no plan."""
    decided = program if analysis.split is None else analysis.split.below
    return None if errors or decided is None else plan_for(decided, "auto")


def _remembered(program: Program) -> Iterator[str]:
    """What derived streams remember, and what that means for a history in slices."""
    if program.streams:
        reach = reach_of_streams(program)
        yield "streams   " + "; ".join(
            f"{stream} for {Lookback(reach[stream.predicate])}" for stream in program.streams
        )
        found = history(program)
        if found.why:
            yield f"history   is evaluated in order, not in slices of time: {found.why}"
        else:
            yield f"history   slices of time look back {found.lookback}"


def _json_remembered(program: Program) -> dict[str, Any]:
    if not program.streams:
        return {}
    found = history(program)
    slices = {"lookback": asdict(found.lookback), "in_order_because": found.why or None}
    return {"streams": reach_of_streams(program), "history": slices}


def _text(program: Program, analysis: Analysis, runs: Manners, shards: Partition | NoKey, warnings: int) -> str:
    facts = f"{program.background_size} background and {len(program.data)} data facts"
    levels = 1 + max(analysis.strata.level.values(), default=0)
    lines = [
        f"rules     {len(program.rules)}, with {facts}",
        f"strata    {levels}",
        f"lookback  {analysis.lookback}",
        *_remembered(program),
        f"shards    {_shards(program, shards)}",
        f"tick      {program.tick or 'none: time points are plain numbers'}",
        f"engine    {_engine(analysis, runs)}",
        *([f"idle      every time point is evaluated, because of {runs.busy}"] if runs.busy else []),
        *(f"cycle     {cycle_text(cycle)}" for cycle in analysis.strata.cycles),
        *(f"{about:<9} {known}" for about, known in program.remarks),
        f"warnings  {warnings or 'none'}",
    ]
    questions = _questions(analysis.split)
    keys = shards.by_rule if isinstance(shards, Partition) else (None,) * len(program.rules)
    for number, (rule, key) in enumerate(zip(analysis.rules, keys, strict=True), 1):
        place = rule.rule.place()
        lines += [
            "",
            f"rule {number}{f'  ({place})' if place else ''}",
            f"  {rule.rule}",
            f"  {_describe(number - 1, rule, runs, key)}",
            *(f"  asks below: {question}" for question in questions.get(number - 1, ())),
        ]
    return "\n".join(lines)


def _describe(index: int, rule: RuleAnalysis, runs: Manners, key: Term | None) -> str:
    engine, why = runs.engine(index)
    shared = "" if key is None else f"; key {term_text(key)}"
    manner = runs.manner(index)
    return f"stratum {rule.stratum}; {manner}; looks back {rule.lookback}; for the {engine} engine ({why}){shared}"


def _shards(program: Program, shards: Partition | NoKey) -> str:
    """The key that splits the program into shards, or why no key does."""
    match shards:
        case NoKey(why, _, helps):
            return f"one: {why}{f'; it would help to {helps}' if helps else ''}"
        case Partition(keys):
            called = argument_variables(program)
            groups: dict[int | None, list[str]] = {}
            for predicate, position in keys.items():
                groups.setdefault(position, []).append(predicate)
            parts = (f"{_names(group)} {_where(group, position, called)}" for position, group in groups.items())
            return f"by key: {'; '.join(parts)}"
        case _:
            assert_never(shards)


def _where(predicates: list[str], position: int | None, called: Mapping[tuple[str, int], str]) -> str:
    """The argument that is the key, with its variable if the program uses one or two names for it."""
    if position is None:
        return "in every shard"
    names = dict.fromkeys(called[p, position] for p in predicates if (p, position) in called)
    return f"on argument {position + 1}" + (f" ({' or '.join(names)})" if 0 < len(names) <= 2 else "")


def _names(predicates: list[str]) -> str:
    more = len(predicates) - _MOST_NAMES
    return ", ".join(predicates) if more <= 1 else f"{', '.join(predicates[:_MOST_NAMES])} and {more} more"


def _engine(analysis: Analysis, runs: Manners) -> str:
    decided = f"reference, because of {runs.unplanned}" if runs.unplanned else "local"
    if analysis.split is None:
        return decided
    above = [number for number, rule in enumerate(analysis.rules, 1) if rule.reason.fragment == "several answers"]
    others = "for the rest" if len(above) < len(analysis.rules) else "for what they ask below"
    rest = f"; {others}, {decided}" if analysis.split.below else ""
    return f"clingo for rule{'s'[: len(above) > 1]} {_ranges(above)}, because of {_several(analysis)}{rest}"


def _ranges(numbers: list[int]) -> str:
    """Sorted numbers as text, with consecutive ones as a range."""
    parts = []
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        found = [number for _, number in run]
        parts.append(f"{found[0]} to {found[-1]}" if len(found) > 2 else ", ".join(map(str, found)))
    return ", ".join(parts)


def _questions(parts: Split | None) -> dict[int, list[str]]:
    """What undecided rules ask of the rules below, by the index of the rule."""
    found: dict[int, list[str]] = {}
    if parts is not None and parts.below is not None:
        for index, rule in zip(parts.below_origin, parts.below.rules, strict=True):
            if head_atom(rule.heads[0]).predicate in parts.helpers:
                found.setdefault(index, []).append(", ".join(map(formula_text, rule.body)))
    return found


def _several(analysis: Analysis) -> str:
    """The first rule that gives the program several answers, and why; empty if no rule does."""
    for number, rule in enumerate(analysis.rules, 1):
        if rule.reason.fragment == "several answers":
            return f"rule {number}: {rule.reason.why}"
    return ""


def _json(
    program: Program, analysis: Analysis, runs: Manners, shards: Partition | NoKey | None, found: list[Diagnostic]
) -> dict[str, Any]:
    return {
        "rules": [
            {
                "rule": str(r.rule),
                "place": str(r.rule.place() or ""),
                "stratum": r.stratum,
                "monotone": not r.non_monotone,
                "non_monotone_because": r.non_monotone or None,
                "plane": runs.plane(index),
                "lookback": asdict(r.lookback),
                "fragment": r.reason.fragment,
                "engine": runs.engine(index)[0],
                "why": runs.engine(index)[1],
                "helper_rules": r.helpers,
            }
            for index, r in enumerate(analysis.rules)
        ],
        "split": _json_split(analysis, runs),
        "background_facts": program.background_size,
        "data_facts": len(program.data),
        "cycles": [cycle_text(cycle) for cycle in analysis.strata.cycles],
        "strata": 1 + max(analysis.strata.level.values(), default=0),
        "recursive": sorted(analysis.strata.recursive),
        "lookback": asdict(analysis.lookback),
        **_json_remembered(program),
        "idle_time": {"free": not runs.busy, "why_not": runs.busy or None},
        "partition": _json_partition(program, shards),
        "tick_milliseconds": program.tick.milliseconds if program.tick else None,
        **({"remarks": dict(program.remarks)} if program.remarks else {}),
        "findings": [
            {
                "code": d.code,
                "severity": d.severity,
                "message": d.message,
                "place": None
                if d.place is None
                else {"source": d.place.source, "line": d.place.line, "column": d.place.column},
                "note": d.note,
            }
            for d in found
        ],
    }


def _json_split(analysis: Analysis, runs: Manners) -> dict[str, Any] | None:
    """Which rules go to clingo, and what they ask of the others."""
    parts = analysis.split
    if parts is None:
        return None
    decided = [number for number, rule in enumerate(analysis.rules, 1) if rule.reason.fragment != "several answers"]
    below = None if parts.below is None else "reference" if runs.unplanned else "local"
    questions = [{"rule": index + 1, "asks": text} for index, texts in _questions(parts).items() for text in texts]
    return {"below": decided, "engine_below": below, "questions": questions}


def _json_partition(program: Program, shards: Partition | NoKey | None) -> dict[str, Any] | None:
    match shards:
        case None:
            return None
        case NoKey(why, rule, helps):
            number = None if rule is None else program.rules.index(rule) + 1
            return {"keys": None, "why": why, "rule": number, "helps": helps or None}
        case Partition(keys, by_rule, foreign):
            terms = [None if key is None else term_text(key) for key in by_rule]
            return {"keys": dict(keys), "by_rule": terms, "foreign": sorted(foreign)}
        case _:
            assert_never(shards)
