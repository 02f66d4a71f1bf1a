"""The functions of SQL: what they take, what they give, and the function of the logic that they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lasing.algebra.terms import call
from lasing.languages.cql.syntax import Type
from lasing.languages.cql.types import NUMBERS, Typed, common, scale_of
from lasing.logic.terms import Term

Make = Callable[..., Term]
Result = Type | Callable[[Sequence[Typed]], Type]


def scale_of_first(arguments: Sequence[Typed]) -> int:
    """The scale of a result that has as many digits after the point as the first argument."""
    return scale_of(*arguments[:1])


def _scale_of_all(arguments: Sequence[Typed]) -> int:
    return scale_of(*arguments)


def _no_scale(_: Sequence[Typed]) -> int:
    return 0


def _rounded_scale(arguments: Sequence[Typed]) -> int:
    places = arguments[1].term if len(arguments) > 1 else 0
    return min(arguments[0].scale, max(places, 0)) if isinstance(places, int) else arguments[0].scale


@dataclass(frozen=True, slots=True)
class SqlFunction:
    """A function. `takes` has the types that each argument may have; the last applies to all further ones."""

    takes: tuple[tuple[Type, ...], ...]
    gives: Result
    make: Make
    least: int
    most: int | None
    scale: Callable[[Sequence[Typed]], int] = scale_of_first
    """How many digits after the point the result has, if it is a DECIMAL."""


TEXT: tuple[Type, ...] = ("VARCHAR",)
WHOLE: tuple[Type, ...] = ("BIGINT",)
MOMENT: tuple[Type, ...] = ("TIMESTAMP",)
ORDERED: tuple[Type, ...] = (*NUMBERS, "VARCHAR", "TIMESTAMP")


def _f(
    takes: Sequence[tuple[Type, ...]],
    gives: Result,
    make: Make | str,
    least: int | None = None,
    most: int | None = -1,
    scale: Callable[[Sequence[Typed]], int] = scale_of_first,
) -> SqlFunction:
    made: Make = (lambda *args: call(make, *args)) if isinstance(make, str) else make
    fewest = len(takes) if least is None else least
    return SqlFunction(tuple(takes), gives, made, fewest, len(takes) if most == -1 else most, scale)


def same_type(arguments: Sequence[Typed]) -> Type:
    """The type of a result that is one of the arguments."""
    return common(*(argument.type for argument in arguments)) or "UNKNOWN"


def _first_type(arguments: Sequence[Typed]) -> Type:
    return arguments[0].type if arguments[0].type != "NULL" else "DOUBLE"


FUNCTIONS: dict[str, SqlFunction] = {
    "ABS": _f([NUMBERS], _first_type, "abs"),
    "ROUND": _f(
        [NUMBERS, WHOLE], _first_type, lambda x, places=0: call("sql_round", x, places), least=1, scale=_rounded_scale
    ),
    "FLOOR": _f([NUMBERS], _first_type, "floor", scale=_no_scale),
    "CEIL": _f([NUMBERS], _first_type, "ceil", scale=_no_scale),
    "SIGN": _f([NUMBERS], "BIGINT", "sql_sign"),
    "MOD": _f([NUMBERS, NUMBERS], same_type, "sql_remainder", scale=_scale_of_all),
    "LEAST": _f([ORDERED], same_type, "sql_least", least=1, most=None, scale=_scale_of_all),
    "GREATEST": _f([ORDERED], same_type, "sql_greatest", least=1, most=None, scale=_scale_of_all),
    "UPPER": _f([TEXT], "VARCHAR", "upper"),
    "LOWER": _f([TEXT], "VARCHAR", "lower"),
    "LENGTH": _f([TEXT], "BIGINT", "length"),
    "SUBSTRING": _f([TEXT, WHOLE, WHOLE], "VARCHAR", "sql_substring", least=2),
    "LEFT": _f([TEXT, WHOLE], "VARCHAR", "sql_left"),
    "RIGHT": _f([TEXT, WHOLE], "VARCHAR", "sql_right"),
    "TRIM": _f([TEXT, TEXT], "VARCHAR", lambda x, *taken: call("sql_trim", x, "both", *taken), least=1),
    "LTRIM": _f([TEXT, TEXT], "VARCHAR", lambda x, *taken: call("sql_trim", x, "left", *taken), least=1),
    "RTRIM": _f([TEXT, TEXT], "VARCHAR", lambda x, *taken: call("sql_trim", x, "right", *taken), least=1),
    "REPLACE": _f([TEXT, TEXT, TEXT], "VARCHAR", "sql_replace"),
    "REVERSE": _f([TEXT], "VARCHAR", "sql_reverse"),
    "CONTAINS": _f([TEXT, TEXT], "BOOLEAN", "contains"),
    "STARTS_WITH": _f([TEXT, TEXT], "BOOLEAN", "starts_with"),
    "ENDS_WITH": _f([TEXT, TEXT], "BOOLEAN", "ends_with"),
    "STR_POSITION": _f([TEXT, TEXT], "BIGINT", "sql_position"),
    "REGEXP_LIKE": _f([TEXT, TEXT, TEXT], "BOOLEAN", "matches", least=2),
    "REGEXP_REPLACE": _f([TEXT, TEXT, TEXT, TEXT], "VARCHAR", "sql_regexp_replace", least=3),
    "MD5": _f([TEXT], "VARCHAR", lambda x: call("hash", "md5", x)),
    "SHA": _f([TEXT], "VARCHAR", lambda x: call("hash", "sha1", x)),
    "SHA256": _f([TEXT], "VARCHAR", lambda x: call("hash", "sha256", x)),
    "SHA384": _f([TEXT], "VARCHAR", lambda x: call("hash", "sha384", x)),
    "SHA512": _f([TEXT], "VARCHAR", lambda x: call("hash", "sha512", x)),
    "URL_ENCODE": _f([TEXT], "VARCHAR", "encode_for_uri"),
    "BEFORE": _f([TEXT, TEXT], "VARCHAR", "before"),
    "AFTER": _f([TEXT, TEXT], "VARCHAR", "after"),
    "YEAR": _f([MOMENT], "BIGINT", "year"),
    "MONTH": _f([MOMENT], "BIGINT", "month"),
    "DAY": _f([MOMENT], "BIGINT", "day"),
    "HOUR": _f([MOMENT], "BIGINT", "hours"),
    "MINUTE": _f([MOMENT], "BIGINT", "minutes"),
    "SECOND": _f([MOMENT], "BIGINT", lambda x: call("number", call("floor", call("seconds", x)))),
}
"""All functions that take their arguments one by one, by the name that the parser gives them."""

NAMES: dict[str, str] = {
    "CEILING": "CEIL", "LEN": "LENGTH", "CHAR_LENGTH": "LENGTH", "CHARACTER_LENGTH": "LENGTH", "SUBSTR": "SUBSTRING",
    "UCASE": "UPPER", "LCASE": "LOWER", "PREFIX": "STARTS_WITH", "SUFFIX": "ENDS_WITH", "STARTSWITH": "STARTS_WITH",
    "ENDSWITH": "ENDS_WITH", "INSTR": "STR_POSITION", "STRPOS": "STR_POSITION", "POSITION": "STR_POSITION",
    "REGEXP_MATCHES": "REGEXP_LIKE", "SHA1": "SHA", "DAY_OF_MONTH": "DAY", "DAYOFMONTH": "DAY", "HOURS": "HOUR",
    "MINUTES": "MINUTE", "SECONDS": "SECOND",
}  # fmt: skip
"""Other names of the same functions."""

PARTS_OF_TIME = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
"""What EXTRACT takes from a TIMESTAMP."""

AGGREGATES = ("COUNT", "SUM", "AVG", "MIN", "MAX", "BOOL_AND", "BOOL_OR")

SPECIAL = (
    "COALESCE", "NULLIF", "IFNULL", "IF", "CONCAT", "CAST", "TRY_CAST", "EXTRACT", "NOW", "RANDOM", "UUID",
)  # fmt: skip
"""Functions that are translated one by one."""


def known_names() -> list[str]:
    """Every name of a function."""
    return [*main_names(), *NAMES]


def main_names() -> list[str]:
    """A name for each function; some of those of the parser are none in SQL."""
    written = {"STR_POSITION": "STRPOS", "REGEXP_LIKE": "REGEXP_MATCHES", "SHA": "SHA1"}
    return [*(written.get(name, name) for name in FUNCTIONS), *AGGREGATES, *SPECIAL]
