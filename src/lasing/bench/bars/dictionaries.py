"""Plain Python in place of an engine: code with dictionaries, generated for a program and run.

It is what one would write by hand for a rule: pairs with the time until which they hold, indices by their members, a
calendar of ends. So it shows what an engine must beat to be worth having. `firings` says for which programs it works.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from textwrap import indent
from typing import Any

from lasing.bench.bars.firings import Firing, firings_of, window_of
from lasing.bench.measuring.turns import ChangedRows, Contender
from lasing.bench.measuring.workloads import Stream
from lasing.logic.program import Program

Pair = tuple[int, int]
Changes = tuple[list[Pair], list[Pair]]
"""What a time point adds, and what it removes."""


def dictionaries(program: Program, stream: Stream) -> Contender:
    """The generated code as a contender; raises `NotOfThisShape` if there is none."""
    code = generate(program)
    arrivals = [[(fact[1], fact[2]) for fact in stream.facts(t)] for t in range(stream.points)]

    def start() -> Callable[[int], Changes]:
        names: dict[str, Any] = {"defaultdict": defaultdict}
        exec(code, names)  # noqa: S102 -- code of this file, written out for a number of rules
        tick: Callable[[int, list[Pair]], Changes] = names["make"]()
        return lambda t: tick(t, arrivals[t])

    return Contender("dictionaries", start, _changed_rows)


def _changed_rows(changes: Changes) -> ChangedRows:
    added, removed = changes
    return Counter([(1, *pair) for pair in added] + [(-1, *pair) for pair in removed])


# Ended pairs leave q last: a pair that ends and is derived again at the same time point has not changed. Until then the
# rules still find pairs in q that end at t - 1; they derive nothing, since an end must be later than t - 1 to count.
MAKE = """\
def make():
    p, q = {}, {}  # until when a pair holds
    p_ends, q_ends = defaultdict(list), defaultdict(list)  # pairs by the time at which they may be over
    p_by_first, p_by_second = defaultdict(set), defaultdict(set)
    q_by_first, q_by_second = defaultdict(set), defaultdict(set)

    def tick(t, arrived):
        added, removed, fresh = [], [], []
        for pair in p_ends.pop(t, ()):
            if p[pair] < t:
                del p[pair]
                <discard from p>
        until = t + <window>
        for pair in arrived:
            if p.get(pair) == until:
                continue  # twice at one time point
            p[pair] = until
            p_ends[until + 1].append(pair)
            <add to p>
            x, y = pair
            <rules of p>
        while fresh:
            x, y = pair = fresh.pop()
            until = q[pair]
            <rules of q>
        for pair in q_ends.pop(t, ()):
            if q[pair] < t:
                del q[pair]
                removed.append(pair)
                <discard from q>
        return added, removed

    return tick
"""

DERIVE = """\
pair = <pair>
if end > q.get(pair, t - 1):
    if pair not in q:
        added.append(pair)
        <add to q>
    q[pair] = end
    q_ends[end + 1].append(pair)
    <remember>
"""


def generate(program: Program) -> str:
    """The code: `make()` returns a function from a time point and its new pairs to what is added and removed."""
    window, firings = window_of(program), [firing for rule in program.rules for firing in firings_of(rule)]
    recursive = any(firing.new == "q" for firing in firings)
    blanks = {
        "window": str(window),
        "add to p": _indices("p", "add", firings),
        "add to q": _indices("q", "add", firings),
        "discard from p": _indices("p", "discard", firings),
        "discard from q": _indices("q", "discard", firings),
        "remember": "fresh.append(pair)\n" if recursive else "",
    }
    rules = {f"rules of {new}": "".join(_code(f, blanks) for f in firings if f.new == new) for new in ("p", "q")}
    return _filled(MAKE, blanks | rules)


def _code(firing: Firing, blanks: Mapping[str, str]) -> str:
    """A rule's code, under the rule as a comment."""
    derive = _filled(DERIVE, {**blanks, "pair": firing.pair})
    if not firing.other:
        return f"# {firing.rule}\nend = until\n{derive}"
    found = f"{firing.index}.get({firing.key}, ())"
    if firing.other == "q":
        found = f"list({found})"  # it may grow during the loop
    until = f"{firing.other}[{firing.key}, z]" if firing.column == "first" else f"{firing.other}[z, {firing.key}]"
    if firing.new == "q":
        until = f"min(until, {until})"  # not needed for p: nothing lasts longer than a new pair of p
    body = indent(f"end = {until}\n{derive}", "    ")
    return f"# {firing.rule}\nfor z in {found}:\n{body}"


def _indices(relation: str, action: str, firings: Sequence[Firing]) -> str:
    """The code that adds a pair to, or removes it from, the indices of a relation that are used."""
    lines = {
        f"{relation}_by_first": f"{relation}_by_first[pair[0]].{action}(pair[1])\n",
        f"{relation}_by_second": f"{relation}_by_second[pair[1]].{action}(pair[0])\n",
    }
    used = {firing.index for firing in firings}
    return "".join(line for index, line in lines.items() if index in used)


def _filled(template: str, blanks: Mapping[str, str]) -> str:
    """A template with its blanks filled in, both those within a line and those that are whole lines.

    >>> _filled("for <one>:\\n    <body>\\n", {"one": "x in y", "body": "a()\\nb()\\n"})
    'for x in y:\\n    a()\\n    b()\\n'
    """
    lines = []
    for line in template.splitlines(keepends=True):
        blank = line.strip()
        if blank[:1] == "<" and blank[1:-1] in blanks:
            lines.append(indent(blanks[blank[1:-1]], line[: line.index("<")]))
        else:
            for name, text in blanks.items():
                line = line.replace(f"<{name}>", text)
            lines.append(line)
    return "".join(lines)
