"""Random programs with any number of answers, small enough to try every interpretation."""

from __future__ import annotations

from random import Random

from tests.differential.strategies import Example

_STREAMED = (("s", 0), ("v", 1))
_DERIVED = (("a", 0), ("b", 0), ("c", 0), ("d", 1), ("e", 1))
_LAST = 3


def several_example(seed: int) -> Example:
    """A program of two to five rules over a stream of up to six facts."""
    draw = Random(seed)
    nested = draw.random() < 0.4
    lines = [_rule(draw, nested) for _ in range(draw.randint(2, 5))]
    if draw.random() < 0.3:
        lines.append(_weak_constraint(draw, nested))
    if draw.random() < 0.15:
        lines.append(draw.choice(("a.", "s.", "v(1).", "d(2).")))
    facts = [(draw.randint(0, _LAST), _ground(draw, _predicate(draw))) for _ in range(draw.randint(1, 6))]
    stream = tuple(sorted(facts, key=lambda fact: fact[0]))
    return Example("".join(f"{line}\n" for line in lines), stream, 0, _LAST)


def _predicate(draw: Random) -> tuple[str, int]:
    return draw.choice(_STREAMED if draw.random() < 0.85 else _DERIVED)


def _ground(draw: Random, predicate: tuple[str, int]) -> str:
    name, arity = predicate
    return f"{name}({draw.randint(1, 2)})" if arity else name


def _rule(draw: Random, nested: bool) -> str:
    kind = draw.choices(("definite", "disjunction", "choice", "constraint"), (6, 2, 2, 1))[0]
    variable = draw.random() < 0.5
    body: list[str] = []
    times: list[str] = ["#now"] if draw.random() < 0.1 else []
    if variable:
        body.append(_literal(draw, draw.choice((("v", 1), ("v", 1), ("d", 1), ("e", 1))), "X", times))
    for _ in range(draw.randint(0 if body or kind == "choice" else 1, 2)):
        body.append(_body(draw, "X" if variable else "", times, nested))
    heads = [_head(draw, "X" if variable else "", times) for _ in range(2 if kind != "definite" else 1)]
    text = {
        "definite": heads[0],
        "disjunction": " ; ".join(heads),
        "choice": f"{{{' ; '.join(heads[: draw.randint(1, 2)])}}}",
        "constraint": "",
    }[kind]
    draw.shuffle(body)
    if not body:
        return f"{text}." if kind != "definite" else f"{text} :- s."
    return f"{text} :- {', '.join(body)}."


def _head(draw: Random, variable: str, times: list[str]) -> str:
    name, arity = draw.choice(_DERIVED)
    atom = f"{name}({variable or draw.randint(1, 2)})" if arity else name
    if draw.random() < 0.15:
        return f"{atom} at {draw.choice((*times, '2'))}"
    return atom


def _body(draw: Random, variable: str, times: list[str], nested: bool) -> str:
    kinds = ("literal", "not", "aggregate", "value", "select", "nested", "jump")
    kind = draw.choices(kinds, (10, 10, 2, 1, 2, 6 if nested else 0, 3 if nested else 0))[0]
    predicate = draw.choice((*_STREAMED, *_DERIVED, *_DERIVED))
    arg = draw.choice((variable, "1", "2")) if variable else draw.choice(("1", "2"))
    match kind:
        case "not":
            return f"not {_literal(draw, predicate, draw.choice((arg, '_')), [], bound=times)}"
        case "aggregate":
            name = draw.choice(("v", "d", "e"))
            window = draw.choice(("", f" in [{draw.randint(0, 2)}]"))
            function = draw.choice(("count", "sum", "max", "min", "avg"))
            operator = draw.choice((">=", "<=", "=", "!=", "<", ">"))
            return f"#{function}{{N : {name}(N){window}}} {operator} {draw.randint(0, 3)}"
        case "value":
            name, function = draw.choice(("v", "d", "e")), draw.choice(("count", "sum", "max", "avg"))
            bound = draw.choice(("N > 1", "N < 2", "N * 2 = 4", "6 / N = 3"))
            return f"N = #{function}{{M : {name}(M) in [1]}}, {bound}"
        case "select":
            name, word = draw.choice(("v", "d", "e")), draw.choice(("#first", "#last", "#last 2 "))
            window = draw.choice(("", f" in [{draw.randint(0, 2)}]"))
            braces = f"{word}{{M : {name}(M){window}}}"
            return draw.choice((f"L = {braces}, L > 1", f"2 = {braces}", f"not 1 = {braces}", f"not _ = {braces}"))
        case "nested":
            return f"({_formula(draw, arg, 2)})"
        case "jump":
            return f"({_formula(draw, arg, 2)}) at {draw.choice((*times, '1', '2'))}"
        case _:
            return _literal(draw, predicate, arg, times)


def _literal(
    draw: Random, predicate: tuple[str, int], arg: str, times: list[str], bound: list[str] | None = None
) -> str:
    name, arity = predicate
    atom = f"{name}({arg})" if arity else name
    window = draw.choice(("0", "1", "2", "+1", "1,+1", "1 step 2", "*", "1,-1", "2,-1"))
    if draw.random() < 0.1:
        window = f"{draw.randint(0, 1)}..{draw.randint(1, 3)}"
    form = draw.choices(("now", "in", "always", "at in"), (6, 3, 1, 1))[0]
    if form == "at in":
        time = f"T{len(times)}" if bound is None else draw.choice((*bound, "1"))
        if bound is None:
            times.append(time)
        return f"{atom} at {time} in [{window}]"
    if name in "sv" and form != "now" and draw.random() < 0.2:
        window = f"#{draw.randint(1, 2)}{' by X' if arg == 'X' and arity and form == 'in' else ''}"
    return {"now": atom, "in": f"{atom} in [{window}]", "always": f"{atom} always in [{window}]"}[form]


def _formula(draw: Random, arg: str, depth: int) -> str:
    kind = draw.choice(("atom", "not", "and", "or", "->", "in", "always")) if depth else "atom"
    if kind == "atom":
        name, arity = draw.choice((*_STREAMED, *_DERIVED, *_DERIVED))
        return f"{name}({arg})" if arity else name
    inner = f"({_formula(draw, arg, depth - 1)})"
    match kind:
        case "not":
            return f"not {inner}"
        case "in" | "always":
            window = draw.choice(("0", "1", "+1", "1,+1", "full 2", "full +1", "2,-1"))
            return f"{inner}{' always' if kind == 'always' else ''} in [{window}]"
        case _:
            return f"{inner} {kind} ({_formula(draw, arg, depth - 1)})"


def _weak_constraint(draw: Random, nested: bool) -> str:
    times: list[str] = []
    body = [_body(draw, "", times, nested) for _ in range(draw.randint(1, 2))]
    return f":~ {', '.join(body)}. [{draw.randint(-1, 2)}@{draw.randint(0, 1)}, {draw.randint(1, 2)}]"
