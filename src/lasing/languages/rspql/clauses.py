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
from lasing.languages.rspql.syntax import (
    OPERATORS,
    REPORTS,
    Dialect,
    Everything,
    Operator,
    Range,
    Report,
    StreamQuery,
    StreamWindow,
    TimeRange,
    TripleRange,
)
from lasing.languages.rspql.tokens import Token, tokens
from lasing.timeline.durations import duration

WINDOW_OF = "urn:lasing:window:"
"""Begins the names of windows that have none in the query."""

ANY_WINDOW = "__window"
"""Ends the name of a variable in `WINDOW ?w`, so that it ranges over windows and not over named graphs."""


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
        start = self._next().offset
        kind = self._next()
        word = kind.text.upper()
        if word in OPERATORS:
            self.operator = next(operator for operator in OPERATORS if operator == word)
            self.dialect, self.makes_stream = "RSP-QL", True
        elif word in ("QUERY", "STREAM"):
            self.dialect, self.makes_stream = "C-SPARQL", word == "STREAM"
        else:
            raise self._expected("QUERY, STREAM, RSTREAM, ISTREAM or DSTREAM", kind)
        self.name = self._name("the name of the query")
        if (token := self._peek()) is not None and token.is_word("COMPUTE", "COMPUTED"):
            self._next()
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
        if token.is_word("WINDOW"):
            self.dialect = "RSP-QL"
            graph = self._iri("the name of a window")
            self._word("ON")
            if (token := self._peek()) is not None and token.is_word("STREAM"):
                self._next()
            self._add(graph, start)
        else:
            self.dialect = "C-SPARQL"
            stream = self._iri("a stream")
            found, _ = self._range()
            self.windows.append(StreamWindow(stream if named else None, stream, found, start))
        self.cuts.append((start, self.read[self.place - 1].end, ""))

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
        self.dialect = "CQELS"
        stream = self._iri("a stream")
        graph = f"{WINDOW_OF}{len(self.windows) + 1}"
        found, end = self._range()
        self.windows.append(StreamWindow(graph, stream, found, start))
        self.cuts.append((start, end, f"GRAPH <{graph}>"))

    def _report(self) -> None:
        start = self._next().offset
        while (token := self._peek()) is not None and token.text.upper() in (*REPORTS, ",", "AND"):
            self.reports += [report for report in REPORTS if report == token.text.upper()]
            self._next()
        if not self.reports:
            raise Mistake("REPORT needs a policy", note=f"policies are {', '.join(REPORTS)}", at=start, code="E703")
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
        while (token := self._next()).text != "]":
            words.append(token)
        return self._range_of(words, opening), token.end

    def _range_of(self, words: list[Token], opening: Token) -> Range:
        parts: dict[str, list[Token]] = {}
        keyword = ""
        for token in words:
            if token.is_word("RANGE", "STEP", "SLIDE", "TRIPLES", "ELEMENTS", "NOW", "ALL", "TUMBLING"):
                keyword = "STEP" if token.is_word("SLIDE") else token.text.upper()
                parts[keyword] = []
            elif not keyword:
                raise self._expected("RANGE, ELEMENTS, TRIPLES, NOW or ALL", token)
            else:
                parts[keyword].append(token)
        if "NOW" in parts:
            return TimeRange(0)
        if "ALL" in parts:
            return Everything()
        if "TRIPLES" in parts or "ELEMENTS" in parts:
            size = self._number(parts.get("TRIPLES") or parts.get("ELEMENTS") or [], opening)
            if "STEP" in parts:
                step = self._number(parts["STEP"], opening)
                return TripleRange(size, None if step == 1 else step)
            return TripleRange(size, size if self.dialect == "C-SPARQL" or "TUMBLING" in parts else None)
        if "RANGE" not in parts:
            raise self._expected("RANGE, ELEMENTS, TRIPLES, NOW or ALL", opening)
        length = self._length(parts["RANGE"], opening)
        if "TUMBLING" in parts:
            return TimeRange(length, length)
        return TimeRange(length, self._length(parts["STEP"], opening) if "STEP" in parts else None)

    def _length(self, words: list[Token], opening: Token) -> int:
        text = " ".join(_without_datatype(words))
        found = duration(text.strip("\"'"))
        if found is None:
            note = "write PT10S, 10s, 5 min, or a number of milliseconds"
            raise Mistake(
                f"{text or 'nothing'} is not a duration", note, at=(words or [opening])[0].offset, code="E703"
            )
        return found

    def _number(self, words: list[Token], opening: Token) -> int:
        if len(words) != 1 or not words[0].text.isdigit() or words[0].text == "0":
            raise self._expected("a number of triples", (words or [opening])[0])
        return int(words[0].text)

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
        return self._length(words, words[0])

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
        return Mistake(f"expected {what}, found {found.text}", at=found.offset, code="E703")


def _without_datatype(words: list[Token]) -> list[str]:
    """The texts of some tokens up to a datatype: `"PT10S"^^xsd:duration`."""
    texts = [token.text for token in words]
    return texts[: texts.index("^^")] if "^^" in texts else texts
