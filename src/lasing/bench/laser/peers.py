"""Our engine on the Laser paper's workloads, and evaluation from scratch.

All contenders take their facts in their native form, made before the clock runs: encoded columns, atoms, clingo's
symbols, tuples, arrays. Programs are read and compiled beforehand too; only clingo, which gets a new control at each
time point, reads its few rules there.

Their outputs are compared as rows: a head's number, +1 or -1, and two arguments, 0 if there are fewer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

from lasing.bench.laser.workloads import Task
from lasing.bench.measuring.contenders import Columns, parse
from lasing.bench.measuring.records import OutputKind
from lasing.bench.measuring.turns import ChangedRows, Contender, Step
from lasing.bench.measuring.workloads import Array, Stream
from lasing.engines.local.execute import OUT_ARGS, OUT_PREDICATE, OUT_SIGN
from lasing.engines.reference.engine import ReferenceEngine
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.plan.compile import compile_plan
from lasing.plan.optimize import optimized

LASING, SCRATCH = "lasing", "from scratch"


def ours(task: Task, output: OutputKind, stream: Stream) -> Contender:
    """The local engine on encoded columns, tick by tick: its changes, or all rows that hold after them."""
    program = parse(task.programs[output])
    plan = optimized(compile_plan(program))
    numbers = {name: i for i, name in enumerate(task.heads[output])}
    outputs: list[tuple[int, int]] = []

    def start() -> Step:
        engine = Columns(program, stream, annotated=False, plan=plan)
        outputs[:] = [(numbers[name], arity) for name, arity in engine.engine.outputs]

        def answer(t: int) -> list[Array]:
            for _ in engine.to(t):
                pass
            return [engine.engine.standing()]

        return answer if output == "answers" else lambda t: list(engine.to(t))

    return Contender(LASING, start, partial(_changed_rows, outputs))


def _changed_rows(outputs: Sequence[tuple[int, int]], blocks: list[Array]) -> ChangedRows:
    counted: ChangedRows = Counter()
    for block in blocks:
        for row in block.tolist():
            head, arity = outputs[row[OUT_PREDICATE]]
            counted[comparable_row(head, row[OUT_SIGN], row[OUT_ARGS : OUT_ARGS + arity])] += 1
    return counted


def comparable_row(head: int, sign: int, args: Sequence[int]) -> tuple[int, ...]:
    """A row in the form in which outputs are compared.

    >>> comparable_row(3, -1, [7])
    (3, -1, 7, 0)
    """
    return head, sign, *args, *(0,) * (2 - len(args))


def from_scratch(task: Task, output: OutputKind, stream: Stream, first: int = 0) -> Contender:
    """The reference engine, which evaluates every time point from scratch, from time point `first` on.

    It takes in earlier facts without evaluating them. The start evaluates only the time point before `first`, so that
    changes are known.
    """
    program = parse(task.programs[output])
    atoms = [[Atom(name, tuple(args)) for name, *args in stream.facts(t)] for t in range(stream.points)]

    def start() -> Step:
        engine = ReferenceEngine(program, 0)
        before: frozenset[Atom] = frozenset()
        if first:
            past = (Fact(t, atom) for t in range(first) for atom in atoms[t])
            before = engine.recall(first - 1, past).added

        def changes(t: int) -> tuple[frozenset[Atom], frozenset[Atom]]:
            nonlocal before
            answer = engine.step(t, atoms[t]).atoms
            added, removed = answer - before, before - answer
            before = answer
            return added, removed

        return changes if output == "changes" else lambda t: (engine.step(t, atoms[t]).atoms, frozenset())

    numbers = {name: i for i, name in enumerate(task.heads[output])}
    return Contender(SCRATCH, start, partial(_changed_atoms, numbers))


def _changed_atoms(numbers: dict[str, int], changed: tuple[Iterable[Atom], Iterable[Atom]]) -> ChangedRows:
    return Counter(
        comparable_row(numbers[atom.predicate], sign, [arg for arg in atom.args if isinstance(arg, int)])
        for sign, atoms in zip((1, -1), changed, strict=True)
        for atom in atoms
    )
