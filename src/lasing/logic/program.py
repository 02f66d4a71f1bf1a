"""Rules and programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import PurePath
from typing import Any, Literal, NamedTuple, TypeVar

from lasing.drawing.html import code
from lasing.errors import Diagnostic, Place, SourceText
from lasing.logic.formulas import Atom, Formula, Head, all_nodes, head_atom, terms_of, walk
from lasing.logic.printer import formula_text
from lasing.logic.provenance import Provenance
from lasing.logic.tables import FactTable
from lasing.logic.terms import Arithmetic, Term, calls_in, term_text
from lasing.timeline.ticks import Tick, time_text

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Penalty:
    """The cost of an answer in which the body of a weak constraint holds, written `[weight@level, terms]`.

    Each tuple of weight, level and terms costs once. Costs of a higher level always matter more than those below.
    """

    weight: Term
    level: Term = 0
    terms: tuple[Term, ...] = ()

    def all_terms(self) -> tuple[Term, ...]:
        return self.weight, self.level, *self.terms

    def __str__(self) -> str:
        level = "" if self.level == 0 else f"@{term_text(self.level, 3)}"
        return f"[{', '.join((term_text(self.weight) + level, *map(term_text, self.terms)))}]"


@dataclass(frozen=True, slots=True)
class Rule:
    """`heads :- body`: one head derives it, several are a disjunction, none is a constraint.

    With `choice`, each head may hold or not: `{a ; b} :- body`. With a `penalty` and no heads it is a weak constraint:
    answers in which the body holds are possible, and cost the penalty.
    """

    heads: tuple[Head, ...]
    body: tuple[Formula, ...]
    source: SourceText | None = field(default=None, compare=False, repr=False)
    offset: int = field(default=-1, compare=False, repr=False)
    length: int = field(default=1, compare=False, repr=False)
    choice: bool = False
    penalty: Penalty | None = None

    @property
    def definite(self) -> bool:
        """Whether the rule derives its head whenever its body holds: one head, and no choice."""
        return len(self.heads) == 1 and not self.choice

    def place(self, offset: int = -1, length: int = 1) -> Place | None:
        """The place of the rule, or of something in it."""
        if self.source is None or (offset < 0 and self.offset < 0):
            return None
        return self.source.place(offset, length) if offset >= 0 else self.source.place(self.offset, self.length)

    def head_atoms(self) -> Iterator[Atom]:
        return (head_atom(head) for head in self.heads)

    def __str__(self) -> str:
        heads = " ; ".join(formula_text(head) for head in self.heads)
        body = ", ".join(formula_text(literal) for literal in self.body)
        if self.penalty is not None:
            return f":~ {body}. {self.penalty}"
        if self.choice:
            heads = f"{{{heads}}}"
        return " ".join(part for part in (heads, ":-" if body or not heads else "", body) if part) + "."


@dataclass(frozen=True, slots=True)
class Signature:
    """A predicate's name and number of arguments, written `p/2`."""

    predicate: str
    arity: int
    offset: int = field(default=-1, compare=False, repr=False)
    names: tuple[str, ...] | None = field(default=None, compare=False, repr=False)
    """The names of the arguments, if they have some: then these are the columns of tables, in any order, and facts with
    another number of arguments are left out."""
    time: str | None = field(default=None, compare=False, repr=False)
    """The column of the time in tables, if it is not called `time`."""
    texts: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    """The names of arguments that are texts, even if they look like numbers."""
    required: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    """The names of arguments that no fact lacks, in a program in which a missing value is a value of its own."""
    types: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """What each argument of a table of SQL holds."""
    numbered: tuple[str, int] | None = field(default=None, compare=False, repr=False)
    """If the rows of a table have numbers, so that equal ones are several: the predicate with one argument more, and
    the last number."""

    def __str__(self) -> str:
        return f"{self.predicate}/{self.arity}"


Closing = tuple[tuple[int, int], ...]
"""How a fact comes out of windows that follow each other. Each closes, and what it holds is put out, at a multiple of
the first number, at the earliest the second number of time points later."""

Form = Literal["atoms", "rows", "truth", "graph"]
"""What the atoms of an output are to a reader: atoms, rows of a table, yes or no, or triples of a graph."""


@dataclass(frozen=True, slots=True)
class Output:
    """A predicate of the output, with the names of its columns; an empty name is chosen by whatever makes a table.

    >>> str(Output("alarm", ("sensor", "level")))
    'alarm/2'
    """

    predicate: str
    columns: tuple[str, ...]
    offset: int = field(default=-1, compare=False, repr=False)
    form: Form = "atoms"
    order: tuple[bool, ...] = ()
    """The rows are in the order of these last columns, which are not shown; True is descending."""
    counted: bool = False
    """Whether the last column, which is not shown, says how many equal rows there are."""
    rejects: str = ""
    """The event whose facts are here if their values have the wrong types; otherwise these are conclusions."""
    types: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """What the columns that are shown hold, if that is declared: integer, double, text, boolean, timestamp, or
    decimal(38,2); an empty one follows from the rules."""

    @classmethod
    def unnamed(cls, predicate: str, arity: int, offset: int = -1) -> Output:
        return cls(predicate, ("",) * arity, offset)

    @property
    def arity(self) -> int:
        return len(self.columns)

    def __str__(self) -> str:
        return f"{self.predicate}/{self.arity}"


class Fact(NamedTuple):
    """A ground atom at a time point, written `p(x) at 36.` Streams consist of facts, wherever they come from."""

    time: int
    atom: Atom

    def __str__(self) -> str:
        return f"{self.atom} at {self.time}."


class Derivations(dict[object, Any]):
    """Cached results of functions of a program. They are cheap to compute again, so they are not pickled."""

    def __reduce__(self) -> tuple[type[Derivations], tuple[()]]:
        return Derivations, ()


@dataclass(frozen=True, slots=True)
class Program:
    """Rules, the facts that come with them, the inputs, the outputs, and what is remembered.

    `outputs` is None if everything derived is output.
    """

    rules: tuple[Rule, ...] = ()
    background: tuple[Atom, ...] = ()
    data: tuple[Fact, ...] = ()
    outputs: tuple[Output, ...] | None = None
    inputs: tuple[Signature, ...] = ()
    tick: Tick | None = None
    sources: tuple[SourceText, ...] = field(default=(), compare=False, repr=False)
    dated: bool = field(default=False, compare=False, repr=False)
    """Whether the time of a data fact is written as a date."""
    streams: tuple[Signature, ...] = ()
    """The derived streams: predicates whose derived atoms are remembered."""
    tables: tuple[FactTable, ...] = ()
    """More background, in columns."""
    graphs: tuple[str, ...] = ()
    """Derived predicates that hold graphs, as `triple` does: those of the windows of a query."""
    repeated: tuple[tuple[str, str], ...] = ()
    """Graphs that differ between the evaluations of a time point, each with the predicate of these evaluations: their
    last argument says which one it is (see `repeated.py`)."""
    closed: tuple[str, ...] = ()
    """Predicates whose background facts are all they ever have: no stream adds to them, and no rule."""
    closing: tuple[Closing, ...] = ()
    """The ways in which the facts of a finished stream come out of the windows of the program."""
    only_inputs: bool = False
    """Whether only declared inputs are facts of a stream. Facts of other predicates are left out, even if rules derive
    them."""
    cautions: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    """What the language of the program warns about, in its own words."""
    remarks: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)
    """What else is known of the program, in the words of its language: what it is about, and what is known."""
    nulls: bool = False
    """Whether a missing value of an input is a value: `UNBOUND`."""
    lookups: tuple[Signature, ...] = ()
    """Background predicates whose arguments have names: the columns of tables that are given beside the program."""
    provenance: Provenance | None = field(default=None, compare=False, repr=False)
    """How to speak of what the rules hold, if the program was written in another language."""
    derivations: Derivations = field(default_factory=Derivations, init=False, compare=False, repr=False)
    """The results of `per_program` functions. A program with other rules starts without any."""

    def end_after(self, last: int) -> int:
        """The time point at which a finished stream ends, given that of its last fact.

        >>> [Program((), closing=ways).end_after(10) for ways in ((), (((5, 1),),), (((4, 0), (5, 1)), ((4, 0),)))]
        [10, 15, 15]
        """
        end = last
        for way in self.closing:
            time = last
            for period, delay in way:
                time = -(-(time + delay) // period) * period
            end = max(end, time)
        return end

    def place_of(self, thing: Atom | Signature | Output) -> Place | None:
        """The place of a fact or a declaration: offsets run through all sources, one after the other."""
        offset = thing.offset
        for source in self.sources:
            if 0 <= offset < len(source.text):
                return source.place(offset, len(thing.predicate))
            offset -= len(source.text)
        return None

    def takes(self, predicate: str) -> bool:
        """Whether facts of a predicate can be in the stream."""
        return not self.only_inputs or any(known.predicate == predicate for known in self.inputs)

    def argument_names(self) -> dict[str, tuple[str, ...]]:
        """The names of the arguments, for inputs that have some."""
        return {known.predicate: known.names for known in self.inputs if known.names is not None}

    def named_inputs(self) -> dict[str, Signature]:
        """The inputs whose arguments have names, by predicate."""
        return {known.predicate: known for known in self.inputs if known.names is not None}

    def watching_dates(self) -> Program:
        """The same program, with a tick that records whether times come in as dates."""
        return self if self.tick is None else replace(self, tick=self.tick.watched())

    def shown_tick(self) -> Tick | None:
        """The tick for writing times as dates, if they came in as dates, in the program or while watching."""
        return self.tick if self.tick is not None and (self.dated or self.tick.reads_dates) else None

    def time_text(self, time: int) -> str:
        """A time point for a message: as a date if times came in as dates."""
        return time_text(time, self.shown_tick())

    def declared(self) -> tuple[Signature | Output, ...]:
        """The inputs, derived streams and outputs that the program names."""
        return (*self.inputs, *self.streams, *(self.outputs or ()))

    def remembered(self) -> frozenset[str]:
        """The predicates of the derived streams."""
        return frozenset(signature.predicate for signature in self.streams)

    def all_background(self) -> Iterator[Atom]:
        """All background facts; those in tables become atoms one by one."""
        yield from self.background
        for table in self.tables:
            yield from table.atoms()

    @property
    def background_size(self) -> int:
        """How many background facts there are."""
        return len(self.background) + sum(map(len, self.tables))

    def output(self) -> frozenset[str]:
        """The predicates of the output: the declared ones, or else the derived ones."""
        if self.outputs is None:
            return frozenset(atom.predicate for rule in self.rules for atom in rule.head_atoms())
        return frozenset(output.predicate for output in self.outputs)

    def __str__(self) -> str:
        """The program as text: directives, facts, rules. Constants are replaced by their values, durations by ticks.

        Background in tables is only named."""
        lines = [f"#tick {self.tick}."] if self.tick else []
        if self.inputs:
            lines.append(f"#input {', '.join(map(str, self.inputs))}.")
        if self.streams:
            lines.append(f"#stream {', '.join(map(str, self.streams))}.")
        if self.outputs is not None:
            lines.append(f"#show {', '.join(map(str, self.outputs))}.".replace("#show .", "#show."))
        lines.extend(f"{atom}." for atom in self.background)
        lines.extend(map(str, self.tables))
        lines.extend(str(fact) for fact in self.data)
        lines.extend(str(rule) for rule in self.rules)
        return "".join(f"{line}\n" for line in lines)

    def _repr_html_(self) -> str:
        sources = [source for source in self.sources if source.text.strip()]
        unnamed = ".lars" if self.provenance is None else ""  # text of another language, not coloured as rules
        return "".join(code(s.text.strip("\n"), PurePath(s.name).suffix or unnamed) for s in sources) or code(str(self))


def all_terms(rule: Rule) -> Iterator[Term]:
    """Every term of a rule, but not the terms inside another one."""
    for formula in (*rule.heads, *rule.body):
        for node in walk(formula):
            yield from terms_of(node)
    if rule.penalty is not None:
        yield from rule.penalty.all_terms()


def per_program(compute: Callable[[Program], Result]) -> Callable[[Program], Result]:
    """Compute a function of a program once: a program never changes, and keeps the result."""

    @wraps(compute)
    def remembered(program: Program) -> Result:
        known: dict[object, Result] = program.derivations
        try:
            return known[compute]
        except KeyError:
            pass
        result = known[compute] = compute(program)
        return result

    return remembered


@per_program
def body_nodes(program: Program) -> tuple[tuple[Rule, tuple[Formula, ...]], ...]:
    """Each rule with all formulas of its body, outer ones first: checks share this one walk."""
    return tuple([(rule, tuple(all_nodes(rule.body))) for rule in program.rules])


@per_program
def calls_of(program: Program) -> tuple[tuple[Rule, Arithmetic], ...]:
    """All operators and functions in the rules, each with its rule."""
    found = []
    for rule, nodes in body_nodes(program):
        for node in (*all_nodes(rule.heads), *nodes):
            for term in terms_of(node):
                if isinstance(term, Arithmetic):
                    found += [(rule, call) for call in calls_in(term)]
        for term in rule.penalty.all_terms() if rule.penalty is not None else ():
            found += [(rule, call) for call in calls_in(term)]
    return tuple(found)
