"""Values that look random, and that their arguments determine, so that all engines agree on them."""

from __future__ import annotations

from hashlib import blake2b
from uuid import UUID

from lasing.logic.functions.entry import ANYTHING, Function, call
from lasing.logic.values import Value, datatypes, literal, value_text
from lasing.logic.values.numbers import double_lexical


def _digest(values: tuple[Value, ...], size: int) -> bytes:
    return blake2b("\n".join(map(value_text, values)).encode(), digest_size=size).digest()


def random(*values: Value) -> Value:
    """A double from 0 to 1, without 1.

    >>> random("a") == random("a"), random("a") == random("b")
    (True, False)
    """
    return literal(double_lexical((int.from_bytes(_digest(values, 8)) >> 11) / 2**53), datatypes.DOUBLE)


def uuid(*values: Value) -> str:
    """An identifier in the form of a UUID.

    >>> len(uuid("a"))
    36
    """
    return str(UUID(bytes=_digest(values, 16), version=4))


def digest(*values: Value) -> int:
    """A whole number of 32 bits.

    >>> digest("a", 1) == digest("a", 1), digest("a", 1) == digest("a", 2), 0 <= digest("a") < 2**32
    (True, False, True)
    """
    return int.from_bytes(_digest(values, 4))


CHANCE_FUNCTIONS: tuple[Function, ...] = (
    call(
        "random",
        (ANYTHING,),
        "a double",
        "mixed",
        random,
        "from 0 to 1: the same for the same arguments, as if by chance for others",
        most=None,
    ),
    call(
        "digest",
        (ANYTHING,),
        "a whole number",
        "integer",
        digest,
        "from 0 to 4294967295: the same for the same arguments, spread evenly over others",
        most=None,
    ),
    call("uuid", (ANYTHING,), "a text", "text", uuid, "an identifier that its arguments determine", most=None),
)
