"""`lasing check`: every finding about a program, and what it will cost to run."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from lasing.cli.console import complain
from lasing.cli.options import constants_of, read_sources
from lasing.errors import Diagnostic, in_order
from lasing.languages.lars.reader import examine
from lasing.logic.analysis import Analysis, RuleAnalysis, analyse
from lasing.logic.checks import CAUTIONS, REFUSALS, findings
from lasing.logic.fragments import ENGINE_NEEDED
from lasing.logic.program import Program
from lasing.plan.show import show
from lasing.session import plan_for, unplanned


def check(
    files: Annotated[list[str], typer.Argument(metavar="PROGRAM...", help="Programs (.lars).", show_default=False)],
    form: Annotated[str, typer.Option("--format", metavar="FORMAT", help="text or json.")] = "text",
    plan: Annotated[
        bool, typer.Option("--plan", help="Show the plan of the local engine: relations, rules, join orders.")
    ] = False,
    const: Annotated[
        list[str] | None,
        typer.Option("--const", "-c", metavar="NAME=VALUE", help="Set a #const; may be repeated.", show_default=False),
    ] = None,
) -> None:
    """Check a program and tell what is known of it.

    Findings go to standard error (with --format json, to standard output with the rest). The exit code is 1 if any
    of them is an error.
    """
    if form not in ("text", "json"):
        raise typer.BadParameter(f"{form!r} is not one of text, json", param_hint="--format")
    program, found = examine(read_sources(files), constants_of(const or []))
    if not found:
        found = in_order(findings(program, (*REFUSALS, *CAUTIONS)))
    errors = [d for d in found if d.severity == "error"]
    analysis = analyse(program)
    shown = _plan(program, errors) if plan else ""
    if form == "json":
        described = _json(program, analysis, found)
        if plan:
            described["plan"] = shown.splitlines() or None
        typer.echo(json.dumps(described, indent=2, ensure_ascii=False))
    else:
        complain(found)
        if not errors:
            typer.echo(_text(program, analysis, len(found)))
            if plan:
                typer.echo(f"\n{shown or 'no plan: the local engine does not run this program'}")
    if errors:
        raise typer.Exit(1)


def _plan(program: Program, errors: list[Diagnostic]) -> str:
    """The plan as text; nothing where there is none."""
    found = None if errors else plan_for(program, "auto")
    return "" if found is None else show(found)


def _text(program: Program, analysis: Analysis, warnings: int) -> str:
    facts = f"{len(program.background)} background and {len(program.data)} data facts"
    levels = 1 + max(analysis.strata.level.values(), default=0)
    lines = [
        f"rules     {len(program.rules)}, with {facts}",
        f"strata    {levels}",
        f"lookback  {analysis.lookback}",
        f"tick      {program.tick or 'none: time points are plain numbers'}",
        f"engine    {_engine(program, analysis)}",
        f"warnings  {warnings or 'none'}",
    ]
    for number, rule in enumerate(analysis.rules, 1):
        place = rule.rule.place()
        lines += [
            "",
            f"rule {number}{f'  ({place})' if place else ''}",
            f"  {rule.rule}",
            f"  {_describe(rule)}",
        ]
    return "\n".join(lines)


def _describe(rule: RuleAnalysis) -> str:
    monotone = f"not monotone ({rule.non_monotone})" if rule.non_monotone else "monotone"
    needs = f"for the {ENGINE_NEEDED[rule.reason.fragment]} engine ({rule.reason.why})"
    return f"stratum {rule.stratum}; {monotone}; looks back {rule.lookback}; {needs}"


def _engine(program: Program, analysis: Analysis) -> str:
    if any(rule.reason.fragment == "several answers" for rule in analysis.rules):
        return "none: clingo is needed, and this version has no such engine"
    reason = unplanned(program)
    return f"reference, because of {reason}" if reason else "local"


def _json(program: Program, analysis: Analysis, found: list[Diagnostic]) -> dict[str, Any]:
    return {
        "rules": [
            {
                "rule": str(r.rule),
                "place": str(r.rule.place() or ""),
                "stratum": r.stratum,
                "monotone": not r.non_monotone,
                "non_monotone_because": r.non_monotone or None,
                "lookback": asdict(r.lookback),
                "fragment": r.reason.fragment,
                "engine": ENGINE_NEEDED[r.reason.fragment],
                "why": r.reason.why,
            }
            for r in analysis.rules
        ],
        "background_facts": len(program.background),
        "data_facts": len(program.data),
        "strata": 1 + max(analysis.strata.level.values(), default=0),
        "recursive": sorted(analysis.strata.recursive),
        "lookback": asdict(analysis.lookback),
        "tick_milliseconds": program.tick.milliseconds if program.tick else None,
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
