"""A position in the tokens, and the errors found there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NoReturn

from lasing.errors import Diagnostic, SourceText, similar
from lasing.languages.lars.slips import slip
from lasing.languages.lars.tokens import Tokens, directives_in
from lasing.logic.terms import Term, own_calls
from lasing.logic.values import Value
from lasing.timeline.ticks import Tick

DEEPEST = 50
"""How deep formulas and terms may nest. What people write stays far below; anything deeper is a mistake."""


@dataclass(slots=True)
class Environment:
    """What directives say and rules need: the values of constants, how long a time point is, and prefixes of IRIs."""

    constants: dict[str, Value] = field(default_factory=dict)
    tick: Tick | None = None
    prefixes: dict[str, str] = field(default_factory=dict)


class Mistake(Exception):  # noqa: N818 -- internal: it ends the reading of one statement
    """One statement cannot be read further; reading continues with the next."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


class Cursor:
    """Walks over tokens. `i` is the index of the next one, `directives` those at which directives begin."""

    __slots__ = (
        "anonymous",
        "braces",
        "dated",
        "depth",
        "directives",
        "environment",
        "i",
        "kinds",
        "offsets",
        "source",
        "texts",
        "tokens",
    )

    def __init__(self, tokens: Tokens, environment: Environment) -> None:
        self.tokens = tokens
        self.kinds = tokens.kinds
        self.texts = tokens.texts
        self.offsets = tokens.offsets
        self.source: SourceText = tokens.source
        self.environment = environment
        self.directives = directives_in(tokens.kinds)
        self.i = 0
        self.depth = 0
        self.anonymous = 0
        self.braces = 0
        self.dated = False  # whether a time of this rule is written as a date

    def begin_rule(self) -> None:
        """Forget what was counted in the previous rule."""
        self.anonymous = self.braces = self.depth = 0
        self.dated = False

    @property
    def kind(self) -> str:
        return self.kinds[self.i]

    @property
    def text(self) -> str:
        return self.texts[self.i]

    @property
    def offset(self) -> int:
        return self.offsets[self.i]

    def accept(self, kind: str) -> bool:
        """Step over the next token if it is of that kind."""
        if self.kinds[self.i] == kind:
            self.i += 1
            return True
        return False

    def accept_word(self, word: str) -> bool:
        """Step over a word that is a keyword only in certain places: step, by, full, a unit."""
        if self.kinds[self.i] == "NAME" and self.texts[self.i] == word:
            self.i += 1
            return True
        return False

    def expect(self, kind: str, where: str) -> str:
        """Step over a token of that kind, or fail."""
        if self.kinds[self.i] != kind:
            self.fail_expected(_NAMES.get(kind, kind), where)
        self.i += 1
        return self.texts[self.i - 1]

    def enter(self) -> None:
        """One level deeper; each `enter` needs its `leave`."""
        self.depth += 1
        if self.depth > DEEPEST:
            offset = self.offsets[max(0, self.i - 1)]
            note = "split the rule with helper predicates"
            self.fail("E106", f"nested more than {DEEPEST} levels deep", note, offset)

    def leave(self) -> None:
        self.depth -= 1

    def fail_expected(self, expected: str, where: str, note: str = "") -> NoReturn:
        if self.kind == ":" and self.i and self.kinds[self.i - 1] == "NAME" and not self._spaced():
            self.fail_unknown_prefix(self.texts[self.i - 1], self.offsets[self.i - 1])
        found = f"found {_short(self.text)}" if self.kind != "END" else "the text ends"
        self.fail("E105", f"expected {expected} {where}, but {found}", note=slip(self.tokens, self.i) or note)

    def _spaced(self) -> bool:
        """Whether there is space before or after the next token."""
        ends = [self.offsets[i] + len(self.texts[i]) for i in (self.i - 1, self.i)]
        return ends != [self.offset, self.offsets[self.i + 1]]

    def fail_unknown_prefix(self, prefix: str, offset: int) -> NoReturn:
        hint = similar(prefix, self.environment.prefixes)
        note = "\n".join(filter(None, (hint, f"declare it: #prefix {prefix}: <http://…>.")))
        self.fail("E117", f"the prefix {prefix} is not declared", note, offset, len(prefix))

    def refuse_own_calls(self, terms: Iterable[Term], what: str) -> None:
        """Fail if a term that is computed now calls a function of the user, which only a run has."""
        for call in (call for term in terms for call in own_calls(term)):
            note = "functions of your own are known when a program runs: compute this in a rule with a body"
            self.fail("E119", f"{what} cannot call {call.operator}", note, call.offset, len(call.operator))

    def fail(self, code: str, message: str, note: str = "", offset: int | None = None, length: int = 0) -> NoReturn:
        """Give up on this statement with a finding at the next token, or at `offset`."""
        if offset is None:
            offset, length = self.offset, length or len(self.text)
        raise Mistake(Diagnostic(code, message, self.source.place(offset, max(1, length)), note))


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"


_NAMES = {
    "VARIABLE": "a variable",
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a string",
    ".": "a full stop",
}
