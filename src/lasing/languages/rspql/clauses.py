"""Streaming clauses: read, and cut out of the text, so that SPARQL remains.

    RSP-QL     REGISTER RSTREAM <out> AS …  FROM NAMED WINDOW :w ON :s [RANGE PT10S STEP PT5S]  … WINDOW :w { … }
    C-SPARQL   REGISTER QUERY q COMPUTE EVERY 5s AS …  FROM STREAM <s> [RANGE 10s STEP 5s]
    CQELS      … STREAM <s> [RANGE 10s] { … }

`WINDOW :w {` becomes `GRAPH :w {`, and CQELS's `STREAM <s> […] {` becomes `GRAPH <a new name> {`. Everything else that
is cut becomes blanks, so that lines and columns of messages stay right.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urljoin

from lasing.languages.rspql.mistakes import Mistake
from lasing.languages.rspql.ranges import expected, length, range_of
from lasing.languages.rspql.syntax import (
    OPERATORS,
    REPORTS,
    Dialect,
    Operator,
    Range,
    Report,
    StreamQuery,
    StreamWindow,
)
from lasing.languages.rspql.tokens import Token, tokens
from lasing.timeline.durations import duration

WINDOW_OF = "urn:lasing:window:"
"""Begins the names of windows that have none in the query."""

ANY_WINDOW = "·"
"""Ends the name of a variable in `WINDOW ?w`, so that it ranges over windows and not over named graphs. The text stays
as long as it was."""

WINDOWS: dict[Dialect, str] = {
    "RSP-QL": "FROM NAMED WINDOW",
    "C-SPARQL": "FROM STREAM",
    "CQELS": "STREAM <s> […] { … }",
}


def read_clauses(text: str, base: str = "") -> StreamQuery:
    """The streaming clauses of a query, and the SPARQL that remains."""
    return _Reader(text, list(tokens(text)), base).query()


@dataclass(slots=True)
class _Reader:
    text: str
    read: list[Token]
    base: str
    place: int = 0
    cuts: list[tuple[int, int, str]] = field(default_factory=list)
    windows: list[StreamWindow] = field(default_factory=list)
    prefixes: dict[str, str] = field(default_factory=dict)
    dialect: Dialect = "SPARQL"
    name: str | None = None
    makes_stream: bool = False
    operator: Operator | None = None
    reports: list[Report] = field(default_factory=list)
    every: int | None = None
    tick: int | None = None
    need_windows: list[Token] = field(default_factory=list)
    """The clauses that say nothing without a window."""

    def query(self) -> StreamQuery:
        while (token := self._peek()) is not None:
            if token.is_word("PREFIX"):
                self._prefix()
            elif token.is_word("BASE"):
                self._next()
                self.base = self._iri("a base")
            elif token.is_word("REGISTER"):
                self._register()
            elif token.is_word("FROM"):
                self._from()
            elif token.is_word("WINDOW"):
                self._window_pattern()
            elif token.is_word("STREAM"):
                self._stream_pattern()
            elif token.is_word("REPORT"):
                self._report()
            elif token.is_word("TICK"):
                self._tick()
            else:
                self._next()
        if self.need_windows and not self.windows:
            clause = self.need_windows[0]
            note = "declare one: FROM NAMED WINDOW :w ON <stream> [RANGE PT10S]"
            raise Mistake(f"{clause.text.upper()} needs a window", note, clause.text, clause.offset, code="E703")
        text = self.text
        for start, end, other in sorted(self.cuts, reverse=True):
            kept = "".join(c if c == "\n" else " " for c in text[start:end])
            text = text[:start] + (other + kept[len(other) :] if len(other) <= len(kept) else other) + text[end:]
        return StreamQuery(
            self.dialect,
            text,
            tuple(self.windows),
            self.name,
            self.makes_stream,
            self.operator,
            tuple(self.reports),
            self.every,
            self.tick,
            self.read[0].offset if self.read else 0,
        )

    # -- clauses ------------------------------------------------------------------------------------------------------

    def _prefix(self) -> None:
        self._next()
        prefix, iri = self._next(), self._peek()
        if iri is not None and iri.kind == "iri":
            self._next()
            self.prefixes[prefix.text.removesuffix(":")] = urljoin(self.base, iri.text[1:-1])

    def _register(self) -> None:
        register = self._next()
        start = register.offset
        if self.name is not None:
            note = "put each query in a file of its own; they can run together"
            raise Mistake("a query has one REGISTER", note, register.text, start, code="E703")
        kind = self._next()
        word = kind.text.upper()
        if word in OPERATORS:
            self.operator = next(operator for operator in OPERATORS if operator == word)
            self.dialect, self.makes_stream = "RSP-QL", True
            if self.operator != "RSTREAM":
                self.need_windows.append(kind)
        elif word in ("QUERY", "STREAM"):
            self.dialect, self.makes_stream = "C-SPARQL", word == "STREAM"
        else:
            raise self._expected("QUERY, STREAM, RSTREAM, ISTREAM or DSTREAM", kind)
        self.name = self._name("the name of the query")
        if (token := self._peek()) is not None and token.is_word("COMPUTE", "COMPUTED"):
            self.need_windows.append(self._next())
            self._word("EVERY")
            self.every = self._duration()
        end = self._word("AS").end
        self.cuts.append((start, end, ""))

    def _from(self) -> None:
        start = self._next().offset
        following = self._peek()
        named = following is not None and following.is_word("NAMED")
        if named:
            self._next()
        token = self._peek()
        if token is None or not token.is_word("WINDOW", "STREAM"):
            return
        self._next()
        self._in_dialect("RSP-QL" if token.is_word("WINDOW") else "C-SPARQL", start)
        if token.is_word("WINDOW"):
            graph = self._iri("the name of a window")
            self._word("ON")
            if (token := self._peek()) is not None and token.is_word("STREAM"):
                self._next()
            self._add(graph, start)
        else:
            stream = self._iri("a stream")
            if named and any(window.graph == stream for window in self.windows):
                raise Mistake(f"the stream <{stream}> is declared twice", at=start, code="E703")
            found, _ = self._range()
            self.windows.append(StreamWindow(stream if named else None, stream, found, start))
        self.cuts.append((start, self.read[self.place - 1].end, ""))

    def _in_dialect(self, dialect: Dialect, place: int) -> None:
        """Windows of different dialects have different edges and reports: a query has those of one."""
        if self.windows and self.dialect != dialect:
            message = f"this window is {dialect}, but the query already has one of {self.dialect}"
            note = ", ".join(f"{clause} is {name}" for name, clause in WINDOWS.items())
            raise Mistake(message, note, at=place, code="E703")
        self.dialect = dialect

    def _add(self, graph: str, start: int) -> None:
        if any(window.graph == graph for window in self.windows):
            raise Mistake(f"the window <{graph}> is declared twice", at=start, code="E703")
        stream = self._iri("a stream")
        self.windows.append(StreamWindow(graph, stream, self._range()[0], start))

    def _window_pattern(self) -> None:
        word = self._next()
        target = self._peek()
        if target is None or target.kind not in ("iri", "word", "variable"):
            return  # a name that happens to be WINDOW
        if target.kind == "variable":
            self.cuts.append((word.offset, target.end, f"GRAPH {target.text}{ANY_WINDOW}"))
            return
        iri = self._resolved(target)
        if all(window.graph != iri for window in self.windows):
            known = ", ".join(f"<{window.graph}>" for window in self.windows) or "none"
            note = f"declared windows: {known}; declare it: FROM NAMED WINDOW {target.text} ON <stream> [RANGE PT10S]"
            raise Mistake(f"there is no window {target.text}", note=note, at=target.offset, code="E703")
        self.cuts.append((word.offset, word.end, "GRAPH"))

    def _stream_pattern(self) -> None:
        """CQELS: `STREAM <s> [RANGE 10s] { … }` inside the pattern."""
        start = self._next().offset
        target = self._peek()
        if target is None or target.kind not in ("iri", "word"):
            return
        self._in_dialect("CQELS", start)
        stream = self._iri("a stream")
        graph = f"{WINDOW_OF}{len(self.windows) + 1}"
        found, end = self._range()
        self.windows.append(StreamWindow(graph, stream, found, start))
        self.cuts.append((start, end, f"GRAPH <{graph}>"))

    def _report(self) -> None:
        self.need_windows.append(self._next())
        start = self.need_windows[-1].offset
        while True:
            token = self._next()
            known = [report for report in REPORTS if token.is_word(report)]
            if not known:
                note = f"policies are {', '.join(REPORTS)}"
                message = f"expected a policy after REPORT, found {token.text}"
                raise Mistake(message, note, token.text, token.offset, code="E703")
            self.reports += known
            following = self._peek()
            if following is None or not (following.text == "," or following.is_word("AND", *REPORTS)):
                break
            if not following.is_word(*REPORTS):
                self._next()
        self.cuts.append((start, self.read[self.place - 1].end, ""))

    def _tick(self) -> None:
        start = self._next().offset
        token = self._peek()
        if token is not None and token.is_word("TIME_DRIVEN"):
            self._next()
        elif token is not None and token.is_word("TUPLE_DRIVEN", "BATCH_DRIVEN"):
            note = "time points are evaluated one after the other: TICK TIME_DRIVEN, or their length, such as TICK 1s"
            raise Mistake(f"TICK {token.text.upper()} is not supported", note=note, at=start, code="E703")
        else:
            self.tick = self._duration()
        self.cuts.append((start, self.read[self.place - 1].end, ""))

    # -- ranges -------------------------------------------------------------------------------------------------------

    def _range(self) -> tuple[Range, int]:
        """`[…]`, and where it ends."""
        opening = self._next()
        if opening.text != "[":
            raise self._expected("a window such as [RANGE 10s STEP 5s]", opening)
        words: list[Token] = []
        while (token := self._peek()) is not None and token.text not in ("]", "[", "{", "}"):
            words.append(self._next())
        if token is None or token.text != "]":
            raise Mistake("this window has no ] at its end", at=opening.offset, code="E703")
        return range_of(self.text, words, opening, self.dialect), self._next().end

    # -- tokens -------------------------------------------------------------------------------------------------------

    def _peek(self) -> Token | None:
        return self.read[self.place] if self.place < len(self.read) else None

    def _next(self) -> Token:
        token = self._peek()
        if token is None:
            raise Mistake("the query ends in the middle of a clause", at=max(len(self.text) - 1, 0), code="E703")
        self.place += 1
        return token

    def _word(self, word: str) -> Token:
        token = self._next()
        if not token.is_word(word):
            raise self._expected(word, token)
        return token

    def _duration(self) -> int:
        words = [self._next()]
        following = self._peek()
        if words[0].kind == "number" and following is not None and duration(f"{words[0].text}{following.text}"):
            words.append(self._next())
        return length(self.text, words, words[0])

    def _name(self, what: str) -> str:
        token = self._next()
        if token.kind == "word" and ":" not in token.text:
            return token.text
        if token.kind not in ("iri", "word"):
            raise self._expected(what, token)
        return self._resolved(token)

    def _iri(self, what: str) -> str:
        token = self._next()
        if token.kind not in ("iri", "word"):
            raise self._expected(what, token)
        return self._resolved(token)

    def _resolved(self, token: Token) -> str:
        if token.kind == "iri":
            return urljoin(self.base, token.text[1:-1]) if self.base else token.text[1:-1]
        prefix, colon, local = token.text.partition(":")
        if not colon or prefix not in self.prefixes:
            raise Mistake(f"{token.text} is not an IRI", note="write <…>, or declare its PREFIX", at=token.offset)
        return self.prefixes[prefix] + local

    def _expected(self, what: str, found: Token) -> Mistake:
        return expected(what, found)
