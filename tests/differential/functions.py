"""Random programs whose rules compute functions of values of all kinds, in heads and in conditions."""

from __future__ import annotations

import random
import re
from dataclasses import replace

from lasing.logic.values import value_text
from tests.differential.strategies import Example
from tests.differential.terms import with_terms
from tests.values import ONE_OF_EACH

_TERMS = (
    "lower({0})", "upper({0})", "length({0})", "concat({0})", "substring({0},2)", "substring({0},1,2)",
    "before({0},1)", "after({0},a)", 'replace({0},"[a-m]","z")', "text({0})", "lexical({0})", "number({0})",
    "number(text({0}))", "iri({0})", "datatype({0})", "lang({0})", "year({0})", "month({0})", "day({0})", "hours({0})",
    "minutes({0})", "seconds({0})", "timezone({0})", "tz({0})", "round({0})", "floor({0})", "ceil({0})", "abs({0})",
    "-{0}", "min({0},{1})", "max({0},{1},2)", "{0} - {1}", "{0} / {1}", "{0} mod 3", "{0} div 2", "is_iri({0})",
    "is_blank({0})", "is_literal({0})", "is_number({0})", "bound({0} + 1)", "coalesce({0} / {1},{1},none)",
    "if({0},{1},0)", "if(less({0},{1}),{0} - {1},coalesce(year({0}),1 / 0))", "truth({0})", "opposite({0})",
    "equal({0},{1})", "same({0},{1})", "less({0},{1})", "less_equal({0},{1})", "all_of({0},less({1},2))",
    "any_of({0},equal({0},{1}))", "one_of({0},{1},1,5)", "cast({0},xsd:integer)", "cast({0},xsd:decimal)",
    "cast({0},xsd:double)", "cast({0},xsd:boolean)", "cast({0},xsd:string)", "contains({0},{1})",
    "starts_with({0},{1})", "lang_matches(lang({0}),en)", "tagged({0},en)", "literal({0},xsd:integer)",
)  # fmt: skip
"""Terms that a recursion cannot make larger and larger."""

_CONDITIONS = (
    "contains({0},1) = true", "is_number({0}) = true", 'matches({0},"[a-z0-9]","i") = false', "bound(1 / {0}) = true",
    "equal({0},{1}) = true", "length({0}) < 3", "{0} + {1} > 1", "{0} - {1} != 0", "coalesce({0} * 2,7) >= 5",
    "if(is_literal({0}),1,2) = 1", "datatype({0}) = xsd:integer", "{0} <= \"5\"^^xsd:decimal", "lang({0}) != en",
    'ends_with(text({0}),"a") = false', "new(k,{0}) != new(k,{1})", 'hash("md5",text({0})) != {1}',
)  # fmt: skip

_VARIABLE = re.compile(r"(?<=[(,])([A-Z]\w*)(?=[),])")


def with_functions(example: Example, chance: random.Random) -> Example:
    """The example with values of all kinds, and functions of variables in some heads and bodies."""
    mixed = with_terms(example, chance)
    lines = [changed(line, chance) if ":-" in line else line for line in mixed.program.splitlines()]
    lines += [_rule(number, chance) for number in range(3)]
    return replace(mixed, program="".join(f"{line}\n" for line in lines))


def _rule(number: int, chance: random.Random) -> str:
    """A rule that computes something from one of the streams."""
    window = chance.choice(("", " in [2]", " always in [1]", " at T in [3]", " in [#2]", " in [2 step 2]"))
    terms = [chance.choice(_TERMS).format("X", chance.choice(("Y", "Y", "1", "b"))) for _ in range(2)]
    body = f"{chance.choice(('r2', 's2'))}(X,Y){window}"
    match chance.randrange(4):
        case 0:
            return f"g{number}({terms[0]},{terms[1]}) :- {body}, {chance.choice(_CONDITIONS).format('Y', 'X')}."
        case 1:
            return f"g{number}({terms[0]},Z) :- {body}, Z = {terms[1]}, not s1(Z) in [1]."
        case 2:
            return f"g{number}(N,Y) :- N = #count{{{terms[0]} : {body}}}, s1(Y) in [2]."
        case _:
            return f"g{number}({terms[0]},{terms[1]}) :- {body}, s1({chance.choice(('X', 'Y'))}) in [2]."


def term(chance: random.Random) -> str:
    """A term in which to put two variables or constants."""
    return chance.choice(_TERMS)


def condition(chance: random.Random) -> str:
    """A condition in which to put two variables or constants."""
    return chance.choice(_CONDITIONS)


def changed(rule: str, chance: random.Random) -> str:
    """A rule with functions of its variables in its head and its body."""
    head, _, body = rule.partition(":-")
    bound = [v for v in dict.fromkeys(_VARIABLE.findall(head)) if v in body]

    def some() -> list[str]:
        constant = value_text(chance.choice(ONE_OF_EACH))
        return [chance.choice(bound), chance.choice([*bound, constant])]

    def computed(found: re.Match[str]) -> str:
        return chance.choice(_TERMS).format(*some()) if found[1] in bound and chance.random() < 0.6 else found[0]

    if bound and chance.random() < 0.5:
        body = f"{body.rstrip('.')}, {chance.choice(_CONDITIONS).format(*some())}."
    return f"{_VARIABLE.sub(computed, head)}:-{body}" if bound else rule
