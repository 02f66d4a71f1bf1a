"""What a program says about its predicates and windows, collected once for all users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from lasing.logic.formulas import Atom, PartitionWindow, TupleWindow, Window, WindowFunction, atoms_of, head_atom
from lasing.logic.program import Program, body_nodes, per_program
from lasing.logic.terms import NOW, Variable


@dataclass(frozen=True, slots=True)
class ProgramFacts:
    """Predicates by the role they play, and the functions of all windows in bodies, each once."""

    arity: Mapping[str, int]
    """The number of arguments of each predicate in a rule, in the background or in a declaration."""
    arity_with_data: Mapping[str, int]
    """The same, plus the predicates that occur only in the program's own data facts."""
    derived: frozenset[str]
    """The predicates of heads."""
    read: frozenset[str]
    """The predicates of bodies."""
    background: frozenset[str]
    streamed: frozenset[str]
    """The predicates that the program itself says are in the stream: by `#input`, or by a data fact."""
    windows: tuple[WindowFunction, ...]

    @property
    def only_derived(self) -> frozenset[str]:
        """The predicates that are derived and not known to be streamed: none of their data has to be kept."""
        return self.derived - self.streamed

    only_stream: str | None
    """The input that triples without a predicate belong to: the only one that the program declares."""

    @property
    def partitions(self) -> tuple[PartitionWindow, ...]:
        """The windows that count facts for each key."""
        return tuple(window for window in self.windows if isinstance(window, PartitionWindow))

    @property
    def counts_all_facts(self) -> bool:
        """Whether facts of any predicate matter, because some tuple window counts them."""
        return any(isinstance(window, TupleWindow) for window in self.windows)

    @property
    def counts_facts(self) -> bool:
        """Whether some window counts facts, so that their order matters and none may come twice."""
        return any(isinstance(window, TupleWindow | PartitionWindow) for window in self.windows)


@per_program
def facts_of(program: Program) -> ProgramFacts:
    """The facts of a program.

    >>> from lasing.logic.formulas import Atom
    >>> from lasing.logic.program import Rule
    >>> found = facts_of(Program((Rule((Atom("q", (1, 2)),), (Atom("p"),)),)))
    >>> dict(found.arity), found.derived, found.read
    ({'q': 2, 'p': 0}, frozenset({'q'}), frozenset({'p'}))
    """
    nodes = [node for _, found in body_nodes(program) for node in found]
    heads = _arities([head_atom(head) for rule in program.rules for head in rule.heads])
    bodies = _arities([node for node in nodes if isinstance(node, Atom)])
    background = _arities(program.background)
    data = _arities([fact.atom for fact in program.data])
    tables = {table.predicate: table.arity for table in program.tables}
    arity = tables | heads | bodies | background | {d.predicate: d.arity for d in program.declared()}
    return ProgramFacts(
        MappingProxyType(arity),
        MappingProxyType(data | arity),
        frozenset(heads),
        frozenset(bodies),
        frozenset((*background, *tables)),
        frozenset((*data, *[signature.predicate for signature in program.inputs])),
        tuple(dict.fromkeys([node.function for node in nodes if isinstance(node, Window)])),
        program.inputs[0].predicate if len(program.inputs) == 1 and program.inputs[0].arity == 3 else None,
    )


def _arities(atoms: Sequence[Atom]) -> dict[str, int]:
    return {atom.predicate: len(atom.args) for atom in atoms}


@per_program
def argument_variables(program: Program) -> Mapping[tuple[str, int], str]:
    """The first variable that the program uses for each argument of a predicate."""
    called: dict[tuple[str, int], str] = {}
    literals = (literal for rule in program.rules for literal in (*rule.body, *rule.heads))
    for atom in (atom for literal in literals for atom in atoms_of(literal)):
        for i, term in enumerate(atom.args):
            if isinstance(term, Variable) and not term.anonymous and term != NOW:
                called.setdefault((atom.predicate, i), term.name)
    return called
