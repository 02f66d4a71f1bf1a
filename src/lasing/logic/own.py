"""Functions of the user: `@f(X, Y)` calls a Python function f.

`with_functions` gives a program its functions: each call in a rule then knows the function, and the rule, which it
names when something goes wrong. A function is deterministic by contract, and is called once for the same arguments
for as long as they are among the last `REMEMBERED`.

Arguments come as Python's own values if there are any: `Decimal` for exact decimals, `bool` for truth values,
`datetime` in UTC for instants, `timedelta` for durations. Results may be any of these, or a value of `lasing.values`.
A function that returns None has no value for these arguments, so the instance of the rule fails and is counted.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, get_type_hints

from lasing.errors import Diagnostic, LasingError, Place, fault, similar
from lasing.logic.formulas import Formula, map_formula, map_terms
from lasing.logic.functions import FUNCTIONS, Function, reasons
from lasing.logic.functions.entry import ANYTHING, Types
from lasing.logic.program import Penalty, Program, Rule, all_terms, calls_of, per_program
from lasing.logic.terms import Arithmetic, Term, own_calls
from lasing.logic.values import (
    Duration,
    ExactDecimal,
    Instant,
    Truth,
    Type,
    Undefined,
    Value,
    is_value,
    normal,
    value_text,
)
from lasing.logic.values.texts import is_name, is_unicode

Functions = Mapping[str, Callable[..., Any]]

REMEMBERED = 100_000
"""How many results of a function are kept."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_TYPES: dict[object, Type] = {int: "integer", float: "double", str: "text"}


def with_functions(program: Program, functions: Functions | None) -> Program:
    """The program in which every `@f` means the function f. Raises a `LasingError` if there is no such function.

    Without functions, the program stays as it is.
    """
    if functions is None:
        return program
    given = {name: _Remembering(name, function) for name, function in _checked(functions).items()}
    calls = own_functions(program)
    if not calls:
        return program
    found = [finding for rule, call in calls if (finding := _mistake(rule, call, given)) is not None]
    if found:
        raise LasingError(found)
    return replace(program, rules=tuple(_bound(rule, given) for rule in program.rules))


def check_functions(program: Program) -> None:
    """Raise a `LasingError` if a function of the user is called that is not known."""
    found = [_unknown(rule, call, ()) for rule, call in own_functions(program) if call.own is None]
    if found:
        raise LasingError(found)


def functions_in(program: Program) -> Functions:
    """The functions that a program was given, as far as it calls them."""
    calls = (call.own.definition for _, call in own_functions(program) if call.own is not None)
    return {d.function.name: d.function.function for d in calls if isinstance(d, _Call)}


@per_program
def own_functions(program: Program) -> tuple[tuple[Rule, Arithmetic], ...]:
    """All calls of functions of the user, with their rules."""
    return tuple((rule, call) for rule, call in calls_of(program) if call.is_own)


# -- what is given ----------------------------------------------------------------------------------------------------


def _checked(functions: Functions) -> Functions:
    for name, function in functions.items():
        if not is_name(str(name)):
            note = "the name of a function begins with a lower-case letter, as it is called @f(…)"
            raise fault("E320", f"{name!r} is not the name of a function", note=note)
        if name in FUNCTIONS:
            raise fault("E320", f"{name} is a function of the language", note="give your own another name")
        if not callable(function):
            raise fault("E320", f"the function {name} is {_shown(function)}, which cannot be called")
    return functions


def _mistake(rule: Rule, call: Arithmetic, given: Mapping[str, _Remembering]) -> Diagnostic | None:
    name = call.operator[1:]
    if name not in given:
        return _unknown(rule, call, tuple(given))
    try:
        inspect.signature(given[name].function).bind(*call.operands)
    except TypeError as error:
        number = len(call.operands)
        message = f"{call.operator} does not take {number} argument{'s'[: number != 1]}: {error}"
        return Diagnostic("E318", message, rule.place(call.offset, len(call.operator)))
    except ValueError:  # a function of C that does not say what it takes
        return None
    return None


def _unknown(rule: Rule, call: Arithmetic, known: tuple[str, ...]) -> Diagnostic:
    name = call.operator[1:]
    names = f"functions are {', '.join(f'@{n}' for n in sorted(known))}" if known else ""
    how = f'give it: functions={{"{name}": {name}}} in Python, --functions MODULE on the command line'
    note = "\n".join(filter(None, (similar(name, known), names or how)))
    place = rule.place(call.offset, len(call.operator))
    return Diagnostic("E318", f"there is no function {call.operator}", place, note)


# -- a program with its functions -------------------------------------------------------------------------------------


def _bound(rule: Rule, given: Mapping[str, _Remembering]) -> Rule:
    if not any(True for term in all_terms(rule) for _ in own_calls(term)):
        return rule

    def term(old: Term) -> Term:
        if not isinstance(old, Arithmetic):
            return old
        new = replace(old, operands=tuple(map(term, old.operands)))
        return replace(new, own=_entry(rule, old, given[old.operator[1:]])) if old.is_own else new

    def node(old: Formula) -> Formula:
        return map_terms(old, term)

    penalty = rule.penalty
    if penalty is not None:
        penalty = Penalty(term(penalty.weight), term(penalty.level), tuple(map(term, penalty.terms)))
    heads = tuple(map_formula(head, node) for head in rule.heads)
    body = tuple(map_formula(literal, node) for literal in rule.body)
    return replace(rule, heads=heads, body=body, penalty=penalty)  # type: ignore[arg-type]  # heads stay heads


def _entry(rule: Rule, call: Arithmetic, function: _Remembering) -> Function:
    column = _type_of(function.function)
    place = rule.place(call.offset, len(call.operator)) if call.offset >= 0 else rule.place()
    definition = _Call(function, str(rule), place)
    return Function(call.operator, 0, None, "call", (ANYTHING,), "any value", _Column(column), definition)


def _type_of(function: Callable[..., Any]) -> Type:
    """The type of a column of results, if the function says so."""
    try:
        return _TYPES.get(get_type_hints(inspect.unwrap(function)).get("return"), "mixed")
    except (TypeError, NameError, AttributeError):
        return "mixed"


@dataclass(frozen=True, slots=True)
class _Column:
    """The type of a column, whatever the types of the arguments are."""

    type: Type

    def __call__(self, _types: Types) -> Type:
        return self.type


@dataclass(frozen=True, slots=True)
class _Remembering:
    """A function of the user, and its latest results."""

    name: str
    function: Callable[..., Any]
    results: dict[tuple[Value, ...], Value | None] = field(default_factory=dict, compare=False, repr=False)

    def __reduce__(self) -> tuple[type[_Remembering], tuple[str, Callable[..., Any]]]:
        return _Remembering, (self.name, self.function)

    def __call__(self, args: tuple[Value, ...]) -> Value | None:
        if args in self.results:
            return self.results[args]
        result = _value(self.function(*map(_python, args)))
        if len(self.results) >= REMEMBERED:
            del self.results[next(iter(self.results))]
        self.results[args] = result
        return result


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of a function of the user in a rule."""

    function: _Remembering
    rule: str
    place: Place | None

    def __call__(self, *args: Value) -> Value:
        try:
            result = self.function(args)
        except Undefined:
            raise
        except Exception as error:
            raise self._failed(args, error) from error
        if result is None:
            raise Undefined(reasons.NONE_RETURNED)
        return result

    def _failed(self, args: tuple[Value, ...], error: Exception) -> LasingError:
        call = f"@{self.function.name}({', '.join(map(value_text, args))})"
        if isinstance(error, _NotAValue):
            message, note = f"{call} returned {error}", "a function returns a number, a text, another value, or None"
        else:
            text = str(error)
            message = f"{call} raised {type(error).__name__}{f': {text}' if text else ''}"
            note = f"in the rule {self.rule}"
        return fault("E319", message, self.place, note)


class _NotAValue(Exception):  # noqa: N818 -- it becomes an error that names the rule
    """What a function returned is no value."""


def _python(value: Value) -> Any:
    """A value as Python's own, if there is one that keeps it."""
    match value:
        case ExactDecimal():
            return value.number
        case Truth():
            return value.holds
        case Instant():
            return _EPOCH + timedelta(microseconds=value.microseconds)
        case Duration():
            return timedelta(microseconds=value.microseconds)
        case _:
            return value


def _value(result: Any) -> Value | None:
    """The value that a function of the user has returned."""
    if result is None or (is_value(result) and not isinstance(result, int | float | str)):
        return result
    if hasattr(result, "item") and getattr(result, "shape", None) == ():
        result = result.item()  # a number of NumPy
    match result:
        case bool():
            return Truth(result)
        case int() | float():
            return normal(int(result) if isinstance(result, int) else float(result))
        case str() if is_unicode(result):
            return str(result)
        case Decimal():
            try:
                return ExactDecimal(result)
            except LasingError:
                raise Undefined(reasons.TOO_LONG) from None
        case datetime() if result.tzinfo is not None:
            return Instant((result - _EPOCH) // _MICROSECOND)
        case timedelta():
            return Duration(result // _MICROSECOND)
    if isinstance(result, datetime):
        raise _NotAValue(f"{result!r}, which has no time zone")
    raise _NotAValue(_shown(result))


def _shown(thing: object) -> str:
    text = repr(thing)
    return text if len(text) <= 80 else f"{text[:80]}…"
