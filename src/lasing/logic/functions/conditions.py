"""Functions of truth: comparisons as values, and `if`, `coalesce`, `bound`, which can do without a value.

Where a function takes a condition, numbers and texts count as in SPARQL 1.1, §17.2.2: true unless they are 0 or empty.
"""

from __future__ import annotations

from lasing.logic.functions import reasons
from lasing.logic.functions.comparisons import holds
from lasing.logic.functions.entry import ANYTHING, TRUTH, Function, Kinds, Lazy, Types, call
from lasing.logic.functions.promotion import ranked
from lasing.logic.values import (
    UNBOUND,
    BlankNode,
    Class,
    Constructed,
    Iri,
    TaggedLiteral,
    Truth,
    Type,
    TypedLiteral,
    Undefined,
    Value,
    datatypes,
    magnitude,
)

CONDITION = Kinds("condition")


def is_true(value: Value) -> bool:
    """Whether a value counts as true; raises `Undefined` if it counts as neither.

    >>> is_true(Truth(False)), is_true(3), is_true("")
    (False, True, False)
    """
    if isinstance(value, Truth):
        return value.holds
    if isinstance(value, str):
        return value != ""
    if isinstance(value, TaggedLiteral):
        return value.lexical != ""
    found = ranked(value)
    if found is not None:
        return bool(found[1])
    if isinstance(value, TypedLiteral) and value.datatype in _CONDITIONS:
        return value.datatype == datatypes.BOOLEAN and value.lexical == "1"  # any other form is a mistake
    raise Undefined(reasons.WRONG_KIND)


_CONDITIONS = frozenset((datatypes.BOOLEAN, datatypes.DECIMAL, datatypes.FLOAT, datatypes.DOUBLE)) | datatypes.INTEGERS


def _equal(a: Value, b: Value) -> Value:
    """By value, as SPARQL's `=`: two literals have no answer if nobody knows what they mean."""
    if a == b:
        return Truth(True)
    one, other = magnitude(a), magnitude(b)
    if one is not None and other is not None and one[0] == other[0]:
        return Truth(one[1] == other[1])
    if isinstance(a, Iri | BlankNode | Constructed) or isinstance(b, Iri | BlankNode | Constructed):
        return Truth(False)
    if (one is None and isinstance(a, TypedLiteral)) or (other is None and isinstance(b, TypedLiteral)):
        raise Undefined(reasons.NOT_COMPARABLE)
    if {Class.INSTANTS, Class.LOCAL_TIMES} == {one and one[0], other and other[0]}:
        raise Undefined(reasons.NOT_COMPARABLE)
    return Truth(False)


def _less(a: Value, b: Value) -> Value:
    _check_comparable(a, b)
    return Truth(holds("<", a, b))


def _less_equal(a: Value, b: Value) -> Value:
    _check_comparable(a, b)
    return Truth(holds("<=", a, b))


def _check_comparable(a: Value, b: Value) -> None:
    one, other = magnitude(a), magnitude(b)
    if one is None or other is None or one[0] != other[0]:
        raise Undefined(reasons.NOT_COMPARABLE)


def _if(condition: Lazy, then: Lazy, otherwise: Lazy) -> Value:
    return then() if is_true(condition()) else otherwise()


def _coalesce(*operands: Lazy) -> Value:
    for operand in operands[:-1]:
        try:
            return operand()
        except Undefined:
            continue
    return operands[-1]()


def _given(value: Value) -> Value:
    if value == UNBOUND:
        raise Undefined(reasons.NO_VALUE)
    return value


def _bound(operand: Lazy) -> Value:
    try:
        operand()
    except Undefined:
        return Truth(False)
    return Truth(True)


def _decided(decisive: bool, *operands: Lazy) -> Value:
    """The decisive truth value if some operand has it, whatever the others are; otherwise the opposite one."""
    missing: Undefined | None = None
    for operand in operands:
        try:
            if is_true(operand()) == decisive:
                return Truth(decisive)
        except Undefined as why:
            missing = missing or why
    if missing is not None:
        raise missing
    return Truth(not decisive)


def _one_of(value: Lazy, *operands: Lazy) -> Value:
    wanted = value()
    missing: Undefined | None = None
    for operand in operands:
        try:
            if is_true(_equal(wanted, operand())):
                return Truth(True)
        except Undefined as why:
            missing = missing or why
    if missing is not None:
        raise missing
    return Truth(False)


def _joined(types: Types) -> Type:
    """The type of a result that is one of the operands."""
    first = types[0] if types else None
    return "mixed" if first is None or any(given != first for given in types) else first


CONDITION_FUNCTIONS: tuple[Function, ...] = (
    call(
        "if",
        (CONDITION, ANYTHING, ANYTHING),
        "one of its arguments",
        lambda types: _joined(types[1:]),
        _if,
        "the second argument if the condition is true, otherwise the third; the one not taken needs no value",
        lazy=True,
    ),
    call(
        "coalesce",
        (ANYTHING,),
        "one of its arguments",
        _joined,
        _coalesce,
        "the first argument that has a value",
        most=None,
        lazy=True,
    ),
    call(
        "given",
        (ANYTHING,),
        "its argument",
        _joined,
        _given,
        "its argument; `new(unbound)`, which means that a value is missing, has none",
    ),
    call("bound", (ANYTHING,), TRUTH, "mixed", _bound, "whether its argument has a value", lazy=True),
    call(
        "all_of",
        (CONDITION,),
        TRUTH,
        "mixed",
        lambda *operands: _decided(False, *operands),
        "whether all conditions are true; one that is false decides, even where others have no value",
        most=None,
        lazy=True,
    ),
    call(
        "any_of",
        (CONDITION,),
        TRUTH,
        "mixed",
        lambda *operands: _decided(True, *operands),
        "whether some condition is true; one that is true decides, even where others have no value",
        most=None,
        lazy=True,
    ),
    call(
        "one_of",
        (ANYTHING,),
        TRUTH,
        "mixed",
        _one_of,
        "whether the first argument is `equal` to one of the others",
        least=2,
        most=None,
        lazy=True,
    ),
    call("opposite", (CONDITION,), TRUTH, "mixed", lambda value: Truth(not is_true(value)), "whether it is false"),
    call("truth", (CONDITION,), TRUTH, "mixed", lambda value: Truth(is_true(value)), "whether it is true"),
    call(
        "equal",
        (ANYTHING, ANYTHING),
        TRUTH,
        "mixed",
        _equal,
        'whether two values are equal by value, as in SPARQL: `equal(5, "05"^^xsd:integer)` is true',
    ),
    call(
        "same",
        (ANYTHING, ANYTHING),
        TRUTH,
        "mixed",
        lambda a, b: Truth(a == b),
        "whether two values are the same, as `=` has it",
    ),
    call("less", (ANYTHING, ANYTHING), TRUTH, "mixed", _less, "whether the first is less, as `<` has it"),
    call(
        "less_equal",
        (ANYTHING, ANYTHING),
        TRUTH,
        "mixed",
        _less_equal,
        "whether the first is not greater, as `<=` has it",
    ),
)
