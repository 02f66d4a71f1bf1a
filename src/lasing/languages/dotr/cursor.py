"""The tokens of a DOTR text, read from left to right; and what several parts of a rule are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lasing.events.mistakes import Mistake
from lasing.languages.rspql.tokens import Token, tokens
from lasing.languages.tesla.syntax import Between, Length, Position, Within
from lasing.timeline.durations import duration


@dataclass(slots=True)
class Cursor:
    """Tokens, where they end, and the prefixes of names."""

    read: Sequence[Token]
    end: int
    prefixes: Mapping[str, str] = field(default_factory=dict)
    i: int = 0
    operators: int = 0
    """How many operators the expression has that is being read."""

    @property
    def token(self) -> Token:
        """The next token; at the end, one without a text."""
        return self.read[self.i] if self.i < len(self.read) else Token("mark", "", self.end)

    def ended(self) -> bool:
        return self.i >= len(self.read)

    def next(self) -> Token:
        """Take a token."""
        if self.ended():
            raise Mistake("the text ends in the middle of a rule", max(self.end - 1, 0))
        self.i += 1
        return self.read[self.i - 1]

    def word(self, *words: str) -> bool:
        """Take one of some keywords, if it comes next."""
        found = self.token.is_word(*words)
        self.i += found
        return found

    def mark(self, mark: str) -> bool:
        """Take a mark, if it comes next."""
        found = not self.ended() and self.token.kind == "mark" and self.token.text == mark
        self.i += found
        return found

    def need(self, mark: str) -> None:
        if not self.mark(mark):
            raise self.expected(mark)

    def need_word(self, word: str) -> None:
        if not self.word(word.upper()):
            raise self.expected(word)

    def name(self, what: str) -> Token:
        """Take the name of an event."""
        if self.token.kind != "word" or not self.token.text.replace("_", "").isalnum():
            raise self.expected(what)
        return self.next()

    def equals(self) -> None:
        """Take `=` or `:=`, which is two tokens."""
        if self.token.text == ":":
            self.i += 1
        self.need("=")

    def expected(self, what: str) -> Mistake:
        found = "the text ends" if self.ended() else f"found {self.token.text}"
        return Mistake(f"expected {what}, but {found}", self.token.offset, len(self.token.text))

    def is_reference(self) -> bool:
        """Whether `Smoke.?room` comes next: three tokens, without blanks."""
        return is_reference(self.read, self.i)

    # -- positions ----------------------------------------------------------------------------------------------------

    def position(self) -> Position:
        """`within 5 min from Smoke`, or `between Temp and Smoke`."""
        start = self.token.offset
        if self.word("WITHIN"):
            length = self.length()
            self.need_word("from")
            return Within(length, self.name("the name of an event").text, start)
        if self.word("BETWEEN"):
            one = self.name("the name of an event").text
            self.need_word("and")
            return Between(one, self.name("the name of an event").text, start)
        raise self.expected("within 5 min from …, or between … and …")

    def length(self) -> Length:
        """`5 min`, `30s`, or a number of milliseconds."""
        number = self.next()
        words = number.text
        if number.kind == "number" and self.token.kind == "word" and duration(f"{words}{self.token.text}"):
            words += self.next().text
            self.mark(".")  # the paper writes 5 min.
        elif number.kind == "number" and self.token.kind == "word" and not self.token.is_word("FROM"):
            note = "units are ms, s, min, h and d"
            raise Mistake(f"there is no unit {self.token.text}", self.token.offset, len(self.token.text), note)
        found = duration(words)
        if found is None:
            raise Mistake(f"{words} is not a length of time", number.offset, len(words), "write 5 min, or 30s")
        seconds = not words.isdigit() and found % 1000 == 0
        return Length(found // 1000, 1000, number.offset) if seconds else Length(found, 1, number.offset)


def split(text: str) -> list[Token]:
    """The tokens of a text; in `Fire:={`, the name is one of its own."""
    return list(_split(text))


def _split(text: str) -> Iterator[Token]:
    for token in tokens(text):
        if token.kind == "word" and token.text[:-1].isalnum() and text[token.end - 1 : token.end + 1] == ":=":
            yield Token("word", token.text[:-1], token.offset)
            yield Token("word", ":", token.end - 1)
        else:
            yield token


def is_reference(read: Sequence[Token], i: int) -> bool:
    """Whether `Smoke.?room` begins at a token: three of them, without blanks."""
    if not 0 <= i < len(read) - 2:
        return False
    name, dot, variable = read[i : i + 3]
    return (
        (name.kind, dot.text, variable.kind) == ("word", ".", "variable")
        and ":" not in name.text
        and name.end == dot.offset
        and dot.end == variable.offset
    )
