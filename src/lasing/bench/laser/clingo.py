"""clingo on the Laser paper's workloads: what Ticker's clingo mode does, with facts added directly.

Each time point makes a new control. It gets the program in clingo's language, and the facts of the window with their
times through its backend, not as text; it grounds and solves. Only the facts are kept, as symbols.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from lasing.bench.laser.peers import comparable_row
from lasing.bench.laser.workloads import COPIES, Task
from lasing.bench.measuring.records import OutputKind
from lasing.bench.measuring.turns import ChangedRows, Contender, Step
from lasing.bench.measuring.workloads import Stream

if TYPE_CHECKING:
    from clingo import Symbol

CLINGO = "clingo"


def installed() -> bool:
    """Whether clingo, which is optional, is installed."""
    return find_spec("clingo") is not None


def by_clingo(task: Task, output: OutputKind, stream: Stream, first: int = 0) -> Contender:
    """clingo from time point `first` on; the start evaluates the time point before."""
    from clingo import Control, Function, Number

    text = in_clingo(task, output)
    points = range(max(0, first - 1 - task.window), stream.points)
    facts = {t: [Function(f[0], [*map(Number, f[1:]), Number(t)]) for f in stream.facts(t)] for t in points}
    times = {t: Function("point", [Number(t)]) for t in points}
    now = {t: Function("now", [Number(t)]) for t in points}

    def evaluate(t: int) -> Iterable[Symbol]:
        control = Control(["--warn=none"])
        control.add("base", [], text)
        with control.backend() as backend:
            for time in range(max(0, t - task.window), t + 1):
                backend.add_rule([backend.add_atom(times[time])])
                for symbol in facts[time]:
                    backend.add_rule([backend.add_atom(symbol)])
            backend.add_rule([backend.add_atom(now[t])])
        control.ground([("base", [])])
        with control.solve(yield_=True) as models:
            found: Iterable[Symbol] = next(iter(models)).symbols(shown=True)
            return found

    def start() -> Step:
        before = set(evaluate(first - 1)) if first else set()

        def changes(t: int) -> tuple[set[Symbol], set[Symbol]]:
            nonlocal before
            answer = set(evaluate(t))
            added, removed = answer - before, before - answer
            before = answer
            return added, removed

        return changes if output == "changes" else lambda t: (evaluate(t), ())

    numbers = {name: i for i, name in enumerate(task.heads[output])}
    return Contender(CLINGO, start, partial(_changed_symbols, numbers))


def _changed_symbols(numbers: dict[str, int], changed: tuple[Iterable[Symbol], Iterable[Symbol]]) -> ChangedRows:
    return Counter(
        comparable_row(numbers[symbol.name], sign, [arg.number for arg in symbol.arguments])
        for sign, symbols in zip((1, -1), changed, strict=True)
        for symbol in symbols
    )


def in_clingo(task: Task, output: OutputKind) -> str:
    """The program in clingo's language, where facts have their time as the last argument.

    All facts and all `point(T)` are in the window.
    """
    match task.shape:
        case "diamond":
            return "q(A,B) :- p(A,B,T).\n#show q/2.\n"
        case "box":
            return "q(X) :- now(N), p(X,N), p(X,T) : point(T).\n#show q/1.\n"
        case "join":
            return "sometime_p(A,B) :- p(A,B,T).\n" + _join("p", "q") + "#show q/2.\n"
        case "cooling":
            return COOLING + (NOW if output == "changes" else AT_TIMES)
    if task.kind == COPIES:
        return "sometime_p(A,B) :- p(A,B,T).\n" + _join("p", "q") * task.rules + "#show q/2.\n"
    return "".join(
        f"sometime_p{i}(A,B) :- p{i}(A,B,T).\n{_join(f'p{i}', f'q{i}')}#show q{i}/2.\n"
        for i in range(1, task.rules + 1)
    )


def _join(source: str, head: str) -> str:
    return f"{head}(A,C) :- sometime_{source}(A,B), sometime_{source}(B,C).\n"


COOLING = """\
steam(V,T)  :- temp(V,T), V >= 100.
liquid(V,T) :- temp(V,T), V >= 1, V < 100.
isSteam(T)  :- steam(V,T).
isLiquid(T) :- liquid(V,T).
alarm       :- isSteam(T) : point(T).
normal      :- isLiquid(T) : point(T).
freeze      :- not alarm, not normal.
veryHot(T)  :- steam(V,T), V >= 150.
veryCold(T) :- liquid(V,T), V = 1.
#show alarm/0. #show normal/0. #show freeze/0. #show veryHot/1. #show veryCold/1.
"""
NOW = """\
#show steam(V) : steam(V,T), now(T).
#show liquid(V) : liquid(V,T), now(T).
#show isSteam : isSteam(T), now(T).
#show isLiquid : isLiquid(T), now(T).
"""
AT_TIMES = """\
#show steamAt(V,T) : steam(V,T).
#show liquidAt(V,T) : liquid(V,T).
#show isSteamAt(T) : isSteam(T).
#show isLiquidAt(T) : isLiquid(T).
"""
