"""Random stratified programs and streams, as text.

Predicates live in layers. Layer 0 is the stream and the background; a rule of layer n takes any predicate below n, its
own layer only in positive literals (so recursion happens), and negation and aggregates only from below: so every
program is stratified. Every variable is bound by the first literals of the body: so every program is safe.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

CONSTANTS = ("a", "b", "1", "2")
VARIABLES = ("X", "Y", "Z")
LAYERS = 3
LAST = 9


@dataclass(frozen=True)
class Predicate:
    """A predicate of a layer; `streamed` ones may be in the stream."""

    name: str
    arity: int
    layer: int

    @property
    def streamed(self) -> bool:
        return self.layer == 0


@dataclass(frozen=True)
class Example:
    """A program, a stream and the timeline on which to compare engines."""

    program: str
    stream: tuple[tuple[int, str], ...]
    start: int
    end: int

    @property
    def stream_text(self) -> str:
        return "".join(f"{atom} at {time}.\n" for time, atom in self.stream)


PREDICATES = tuple(
    Predicate(f"{'sdef'[layer]}{arity}{letter}", arity, layer)
    for layer in range(LAYERS + 1)
    for arity in (0, 1, 2)
    for letter in "xy"
    if not (layer and letter == "y" and arity == 0)
)


@st.composite
def examples(draw: DrawFn, nested: bool = False) -> Example:
    """A program of up to six rules, and a stream of up to fifteen facts."""
    start = draw(st.integers(0, 4))
    rules = draw(st.lists(_rule(nested), min_size=1, max_size=6))
    background = draw(st.lists(_ground_atom(), max_size=4))
    facts = draw(st.lists(st.tuples(st.integers(start, start + LAST - 2), _ground_atom()), min_size=1, max_size=15))
    stream = tuple(sorted(facts, key=lambda fact: fact[0]))
    program = "".join(f"{line}\n" for line in (*(f"{atom}." for atom in background), *rules))
    return Example(program, stream, start, start + LAST)


def _ground_atom() -> SearchStrategy[str]:
    streamed = [p for p in PREDICATES if p.streamed]
    return st.sampled_from(streamed).flatmap(
        lambda p: st.tuples(*[st.sampled_from(CONSTANTS)] * p.arity).map(lambda args: _atom(p, args))
    )


def _atom(predicate: Predicate, args: tuple[str, ...]) -> str:
    return f"{predicate.name}({','.join(args)})" if args else predicate.name


@st.composite
def _rule(draw: DrawFn, nested: bool) -> str:
    layer = draw(st.integers(1, LAYERS))
    head = draw(st.sampled_from([p for p in PREDICATES if p.layer == layer]))
    body: list[str] = []
    bound: dict[str, None] = {}
    times: dict[str, None] = {}
    if draw(st.integers(0, 5)) == 0:
        draw(st.sampled_from((bound, times)))["#now"] = None
    for number in range(draw(st.integers(1, 3))):
        below = [p for p in PREDICATES if p.layer <= layer]
        predicate = draw(st.sampled_from(below))
        args = tuple(draw(st.sampled_from((*VARIABLES, *CONSTANTS))) for _ in range(predicate.arity))
        body.append(draw(_positive(predicate, args, f"T{number}", times)))
        bound.update(dict.fromkeys(a for a in args if a in VARIABLES))
    if draw(st.booleans()):
        body.append(draw(_negative(layer, (*bound, *CONSTANTS), tuple(times))))
    if nested and draw(st.booleans()):
        body.append(draw(_formula(layer, (*bound, *CONSTANTS), 2)))
    if draw(st.integers(0, 3)) == 0:
        body.append(draw(_aggregate(layer)))
        bound["N"] = None
    if len(bound) > 1 and draw(st.booleans()):
        operator = draw(st.sampled_from(("<", "<=", "!=", "=")))
        body.append(f"{draw(st.sampled_from(tuple(bound)))} {operator} {draw(st.sampled_from(tuple(bound)))}")
    head_args = tuple(draw(st.sampled_from((*bound, *CONSTANTS))) for _ in range(head.arity))
    text = _atom(head, head_args)
    if draw(st.integers(0, 2)) == 0:
        shift = draw(st.integers(-2, 3))
        # The shifted time of a recursive rule is bounded, so that the fixpoint is finite.
        time = draw(st.sampled_from((*times, "5")))
        if time != "5":
            body += [f"U = {time} + {shift}", "U < 15"]
        text += f" at {'U' if time != '5' else time}"
    return f"{text} :- {', '.join(draw(st.permutations(body)))}."


def _size() -> SearchStrategy[int]:
    return st.integers(0, 4)


@st.composite
def _time_window(draw: DrawFn) -> str:
    back, ahead, step = draw(_size()), draw(_size()), draw(st.integers(1, 3))
    both, past = f"{back},+{ahead}", f"{back},-{min(back, ahead)}"
    stepped = (f"{back} step {step}", f"{both} step {step}", f"{past} step {step}")
    return draw(st.sampled_from((f"{back}", f"+{ahead}", both, past, *stepped, "*", f"*,-{ahead}", "2..5")))


@st.composite
def _positive(draw: DrawFn, predicate: Predicate, args: tuple[str, ...], time: str, times: dict[str, None]) -> str:
    """A plain literal that binds the variables among its arguments, and perhaps a time."""
    atom = _atom(predicate, args)
    window = draw(_window(predicate, args))
    form = draw(st.sampled_from(("now", "in", "always", "at", "at in")))
    if form in ("at", "at in"):
        times[time] = None
    if " by " in window and form == "always":
        form = "in"
    return {
        "now": atom,
        "in": f"{atom} in [{window}]",
        "always": f"{atom} always in [{window}]",
        "at": f"{atom} at {time}",
        "at in": f"{atom} at {time} in [{window}]",
    }[form]


@st.composite
def _window(draw: DrawFn, predicate: Predicate, args: tuple[str, ...]) -> str:
    if not predicate.streamed or draw(st.booleans()):
        return draw(_time_window())
    count = draw(st.integers(1, 3))
    keys = [a for a in args if a in VARIABLES]
    if len(keys) > 0 and draw(st.booleans()):
        return f"#{count} by {draw(st.sampled_from(keys))}"
    return f"#{count}"


@st.composite
def _negative(draw: DrawFn, layer: int, terms: tuple[str, ...], times: tuple[str, ...]) -> str:
    predicate = draw(st.sampled_from([p for p in PREDICATES if p.layer < layer]))
    args = tuple(draw(st.sampled_from((*terms, "_"))) for _ in range(predicate.arity))
    atom = _atom(predicate, args)
    window = draw(_window(predicate, args))
    if " by " in window:
        window = draw(_time_window())
    forms = [atom, f"{atom} in [{window}]", f"{atom} always in [{window}]"]
    for time in times:
        forms += [f"{atom} at {time}", f"{atom} at {time} in [{window}]"]
    return f"not {draw(st.sampled_from(forms))}"


@st.composite
def _aggregate(draw: DrawFn, layer: int) -> str:
    predicate = draw(st.sampled_from([p for p in PREDICATES if p.layer < layer and p.arity]))
    local = ("V", "W")[: predicate.arity]
    function = draw(st.sampled_from(("count", "sum", "min", "max", "avg")))
    window = draw(st.sampled_from((f"{draw(_size())}", "3,-1", "4,-2")))
    return f"N = #{function}{{{','.join(local)} : {_atom(predicate, local)} in [{window}]}}"


@st.composite
def _formula(draw: DrawFn, layer: int, terms: tuple[str, ...], depth: int) -> str:
    """A nested formula whose variables are all bound elsewhere."""
    kind = draw(st.sampled_from(("atom", "not", "and", "or", "->", "in", "always", "full", "at")))
    if depth == 0 or kind == "atom":
        predicate = draw(st.sampled_from([p for p in PREDICATES if p.layer < layer]))
        return _atom(predicate, tuple(draw(st.sampled_from(terms)) for _ in range(predicate.arity)))
    inner = draw(_formula(layer, terms, depth - 1))
    window = draw(_time_window())
    match kind:
        case "not":
            return f"not ({inner})"
        case "in":
            return f"({inner}) in [{window}]"
        case "always":
            return f"({inner}) always in [{window}]"
        case "full":
            return f"({inner}) in [full {window}]"
        case "at":
            return f"({inner}) at {draw(st.integers(0, 9))}"
        case _:
            return f"(({inner}) {kind} ({draw(_formula(layer, terms, depth - 1))}))"
