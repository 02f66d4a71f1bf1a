"""From a text to its statements: streams, tables, views and queries, with the windows cut out of the SQL."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import similar
from lasing.languages.cql.joined import check_joins
from lasing.languages.cql.mistakes import NAME, SYNTAX, TYPE, UNSUPPORTED, WINDOW, Mistake, Mistakes
from lasing.languages.cql.syntax import (
    ColumnDef,
    Content,
    Declaration,
    Digits,
    Insert,
    LastRows,
    Length,
    Now,
    Operator,
    Query,
    Range,
    Statement,
    StreamWindow,
    TickSetting,
    Type,
)
from lasing.languages.cql.tokens import Token, tokens
from lasing.languages.cql.types import MOST_DIGITS

TYPES: dict[str, Type] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT", "LONG", "INT4", "INT8"), "BIGINT"),
    **dict.fromkeys(("FLOAT", "REAL", "DOUBLE"), "DOUBLE"),
    **dict.fromkeys(("DECIMAL", "NUMERIC", "DEC"), "DECIMAL"),
    **dict.fromkeys(("VARCHAR", "CHAR", "TEXT", "STRING"), "VARCHAR"),
    **dict.fromkeys(("BOOLEAN", "BOOL"), "BOOLEAN"),
    **dict.fromkeys(("TIMESTAMP", "DATETIME", "TIMESTAMPTZ"), "TIMESTAMP"),
}  # fmt: skip
"""The names of types, and what they are here."""

UNITS = {
    "MILLISECOND": 1, "MS": 1, "SECOND": 1_000, "SEC": 1_000, "S": 1_000, "MINUTE": 60_000, "MIN": 60_000,
    "HOUR": 3_600_000, "H": 3_600_000, "DAY": 86_400_000, "D": 86_400_000, "WEEK": 604_800_000,
}  # fmt: skip
"""Units of time, in milliseconds."""

OPERATORS: tuple[Operator, ...] = ("ISTREAM", "DSTREAM", "RSTREAM")


def statements(text: str, mistakes: Mistakes) -> list[Statement]:
    """The statements of a text. What is wrong with one of them does not hide the others."""
    found: list[Statement] = []
    try:
        all_tokens = tokens(text)
    except Mistake as mistake:
        mistakes.add(mistake)
        return []
    for part in _split(all_tokens):
        try:
            found.append(_Reader(part, text, mistakes).statement())
        except Mistake as mistake:
            mistakes.add(mistake)
    return found


def _split(all_tokens: list[Token]) -> Iterator[list[Token]]:
    """The tokens of each statement; a semicolon ends one."""
    part: list[Token] = []
    for token in all_tokens:
        if token.text == ";":
            if part:
                yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


class _Reader:
    """Reads one statement."""

    def __init__(self, part: list[Token], text: str, mistakes: Mistakes) -> None:
        self._tokens, self._text, self._mistakes, self._at = part, text, mistakes, 0

    # -- tokens -------------------------------------------------------------------------------------------------------

    def _peek(self, ahead: int = 0) -> Token | None:
        place = self._at + ahead
        return self._tokens[place] if place < len(self._tokens) else None

    def _next(self, what: str) -> Token:
        token = self._peek()
        if token is None:
            last = self._tokens[-1]
            raise Mistake(SYNTAX, f"the statement ends where {what} should follow", last.offset, len(last.text))
        self._at += 1
        return token

    def _skip(self, *words: str) -> bool:
        token = self._peek()
        if token is not None and (token.is_word(*words) or (token.kind == "sign" and token.text in words)):
            self._at += 1
            return True
        return False

    def _expect(self, word: str) -> Token:
        token = self._next(word)
        if not token.is_word(word) and token.text != word:
            raise self._unexpected(token, word)
        return token

    @staticmethod
    def _unexpected(token: Token, wanted: str) -> Mistake:
        return Mistake(SYNTAX, f"{wanted} should be here, not {token.text}", token.offset, len(token.text))

    def _name(self, what: str) -> tuple[str, Token]:
        token = self._next(what)
        if token.named is None:
            raise self._unexpected(token, what)
        return token.named, token

    # -- statements ---------------------------------------------------------------------------------------------------

    def statement(self) -> Statement:
        first = self._tokens[0]
        if first.is_word("CREATE"):
            return self._create()
        if first.is_word("INSERT"):
            return Insert(self._blank(0, set()), first.offset)
        if first.is_word("SET"):
            return self._setting()
        if first.is_word("SELECT", "WITH", "VALUES", *OPERATORS) or first.text == "(":
            return self._query(None)
        note = "statements are CREATE STREAM, CREATE TABLE, CREATE VIEW, INSERT, SET TICK and queries"
        hint = similar(first.text.upper(), ("SELECT", "CREATE", "INSERT", "WITH", *OPERATORS))
        raise Mistake(
            SYNTAX, f"a statement cannot begin with {first.text}", first.offset, len(first.text), hint or note
        )

    def _create(self) -> Statement:
        self._at = 1
        if self._skip("OR"):
            self._expect("REPLACE")
        what = self._next("STREAM, TABLE or VIEW")
        if not what.is_word("STREAM", "TABLE", "VIEW"):
            hint = similar(what.text.upper(), ("STREAM", "TABLE", "VIEW"))
            message = f"CREATE makes a STREAM, a TABLE or a VIEW, not {what.text}"
            raise Mistake(SYNTAX, message, what.offset, len(what.text), hint)
        if self._skip("IF"):
            self._expect("NOT")
            self._expect("EXISTS")
        name, token = self._name("a name")
        if what.is_word("VIEW"):
            columns = self._column_names() if self._text_is("(") else ()
            self._expect("AS")
            return self._query(name, columns, token)
        if self._skip("AS"):
            if what.is_word("TABLE"):
                note = "a table has its own rows: CREATE VIEW makes one of a query"
                raise Mistake(UNSUPPORTED, "a table of a query is not supported", token.offset, len(token.text), note)
            return self._query(name, (), token, makes_stream=True)
        return self._declaration(name, token, what.is_word("STREAM"))

    def _text_is(self, text: str) -> bool:
        token = self._peek()
        return token is not None and token.text == text

    def _column_names(self) -> tuple[str, ...]:
        self._expect("(")
        names = [self._name("the name of a column")[0]]
        while self._skip(","):
            names.append(self._name("the name of a column")[0])
        self._expect(")")
        return tuple(names)

    def _declaration(self, name: str, token: Token, stream: bool) -> Declaration:
        self._expect("(")
        columns: list[ColumnDef] = []
        time: tuple[str, Token] | None = None
        while True:
            following = self._peek(1)
            is_time = self._peek_is("TIME") and following is not None and following.named is not None
            after = self._peek(2)
            if is_time and stream and after is not None and after.text in (",", ")"):
                again = self._next("TIME")
                if time is not None:
                    raise Mistake(NAME, f"{name} has two columns of the time", again.offset, len(again.text))
                time = self._name("the column of the time")
            else:
                self._check_constraint()
                columns.append(self._column())
            if not self._skip(","):
                break
        self._expect(")")
        rest = self._peek()
        if rest is not None:
            raise Mistake(SYNTAX, f"nothing can follow here, but {rest.text} does", rest.offset, len(rest.text))
        seen: set[str] = set()
        for column in columns:
            if column.name.lower() in seen:
                message = f"{name} has two columns {column.name}"
                self._mistakes.add(Mistake(NAME, message, column.offset, len(column.name)))
            seen.add(column.name.lower())
        return self._timed(name, token, stream, columns, time)

    def _check_constraint(self) -> None:
        """Refuse what a table or a column could have in SQL, and has not here."""
        if self._peek_is("PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "CONSTRAINT", "REFERENCES"):
            odd = self._next("a column")
            message = f"{odd.text} is not supported: keys and constraints are not checked"
            raise Mistake(UNSUPPORTED, message, odd.offset, len(odd.text))
        if self._peek_is("DEFAULT", "GENERATED", "COLLATE"):
            odd = self._next("a column")
            raise Mistake(UNSUPPORTED, f"{odd.text} is not supported", odd.offset, len(odd.text))

    def _timed(
        self, name: str, token: Token, stream: bool, columns: list[ColumnDef], time: tuple[str, Token] | None
    ) -> Declaration:
        if time is None:
            return Declaration(name, tuple(columns), stream, token.offset)
        of_time = next((c for c in columns if c.name.lower() == time[0].lower()), None)
        if of_time is None:
            of_time = ColumnDef(time[0], "TIMESTAMP", True, time[1].offset)
        elif of_time.type not in ("BIGINT", "TIMESTAMP"):
            message = f"the time of a row is a TIMESTAMP or a whole number, not {of_time.type}"
            raise Mistake(TYPE, message, time[1].offset, len(time[1].text))
        rest = tuple(column for column in columns if column is not of_time)
        timed = ColumnDef(of_time.name, of_time.type, True, of_time.offset)
        return Declaration(name, rest, stream, token.offset, timed)

    def _peek_is(self, *words: str) -> bool:
        token = self._peek()
        return token is not None and token.is_word(*words)

    def _column(self) -> ColumnDef:
        name, token = self._name("the name of a column")
        written = self._next(f"the type of {name}")
        kind = TYPES.get(written.text.upper()) if written.kind == "word" else None
        if kind is None:
            hint = similar(written.text.upper(), TYPES) or f"types are {', '.join(dict.fromkeys(TYPES.values()))}"
            raise Mistake(TYPE, f"there is no type {written.text}", written.offset, len(written.text), hint)
        self._skip("PRECISION", "VARYING")
        digits = Digits()
        if kind == "DECIMAL":
            digits = self._digits() if self._skip("(") else digits
        elif self._skip("("):
            while not self._skip(")"):
                self._next(")")
        not_null = False
        while self._peek_is("NOT", "NULL"):
            not_null = self._skip("NOT") or not_null
            self._expect("NULL")
        self._check_constraint()
        return ColumnDef(name, kind, not_null, token.offset, digits)

    def _digits(self) -> Digits:
        """`10, 2)`, after the parenthesis of DECIMAL."""
        sizes = [self._next("how many digits")]
        if self._skip(","):
            sizes.append(self._next("how many digits after the point"))
        self._expect(")")
        for size in sizes:
            if not size.text.isdecimal():
                raise self._unexpected(size, "a number of digits")
        precision, scale = int(sizes[0].text), int(sizes[1].text) if len(sizes) > 1 else 0
        if not 1 <= precision <= MOST_DIGITS or scale > precision:
            message = f"a DECIMAL has 1 to {MOST_DIGITS} digits, and no more of them after the point"
            raise Mistake(TYPE, message, sizes[0].offset, sizes[-1].end - sizes[0].offset, "such as: DECIMAL(10, 2)")
        return Digits(precision, scale)

    def _setting(self) -> TickSetting:
        self._at = 1
        self._expect("TICK")
        self._skip("=", "TO")
        length = self._length("how long a time point is")
        if not length.has_unit or length.amount < 1:
            raise Mistake(WINDOW, "a tick is a length of time", length.offset, note="such as: SET TICK = 1 SECOND")
        return TickSetting(length)

    def _length(self, what: str) -> Length:
        interval = self._skip("INTERVAL")
        token = self._next(what)
        digits = token.text[1:-1].strip() if token.kind == "string" else token.text
        words = digits.split()
        unit_in_text = words[1] if token.kind == "string" and len(words) == 2 else None
        digits = words[0] if words else ""
        if not digits.isdecimal():
            raise Mistake(WINDOW, f"{token.text} is not {what}", token.offset, len(token.text), "such as: 20 MINUTES")
        unit = self._peek()
        written = unit_in_text or (unit.text if unit is not None and unit.kind == "word" else None)
        if written is None or (unit_in_text is None and written.upper() == "SLIDE"):
            if interval:
                raise Mistake(WINDOW, "this interval has no unit", token.offset, len(token.text), "such as: 20 MINUTES")
            return Length(int(digits), False, token.offset)
        word = written.upper()
        known = UNITS.get(word) or UNITS.get(word.removesuffix("S"))
        if known is None:
            place = token if unit_in_text else unit
            assert place is not None
            names = [f"{name}S" for name in UNITS if len(name) > 3 or name == "DAY"]
            hint = similar(word, names) or f"units are {', '.join(names)}"
            raise Mistake(WINDOW, f"there is no unit of time {written}", place.offset, len(place.text), hint)
        if not unit_in_text:
            self._at += 1
        return Length(int(digits) * known, True, token.offset)

    # -- queries ------------------------------------------------------------------------------------------------------

    def _query(
        self, name: str | None, columns: tuple[str, ...] = (), named: Token | None = None, makes_stream: bool = False
    ) -> Query:
        begin = self._at
        operator: Operator | None = None
        hidden: set[int] = set()
        first = self._next("a query")
        if first.is_word(*OPERATORS) and self._text_is("("):
            operator = first.text.upper()  # type: ignore[assignment]
            hidden.add(begin)
        elif first.is_word("SELECT") and (left_out := self._operator_inside()):
            operator = self._tokens[self._at].text.upper()  # type: ignore[assignment]
            hidden.update(left_out)
        elif makes_stream:
            note = "write ISTREAM(…), DSTREAM(…) or RSTREAM(…) around the query"
            raise Mistake(WINDOW, "a query makes a table, not a stream", first.offset, len(first.text), note)
        windows: dict[int, StreamWindow] = {}
        for place in range(begin + 1, len(self._tokens)):
            token = self._tokens[place]
            if token.text == "[" and place not in hidden:
                before = self._tokens[place - 1]
                closing = next((i for i in range(place, len(self._tokens)) if self._tokens[i].text == "]"), None)
                if closing is None:
                    raise Mistake(WINDOW, "the window is not closed", token.offset, note="it ends with ]")
                end = self._tokens[closing].end
                try:
                    inside = _Reader(self._tokens[place + 1 : closing + 1], self._text, self._mistakes)
                    content = inside._window()
                    windows[before.end] = StreamWindow(content, token.offset, end - token.offset)
                except Mistake as mistake:
                    self._mistakes.add(mistake)
                    windows[before.end] = StreamWindow(Now(), token.offset, end - token.offset)
                hidden.update(range(place, closing + 1))
            elif token.text == "," and self._tokens[place - 1].text == ",":
                raise Mistake(SYNTAX, "something is missing between two commas", token.offset)
            elif token.is_word("AS") and (place + 1 == len(self._tokens) or self._tokens[place + 1].text in (",", ")")):
                raise Mistake(SYNTAX, "a name should follow AS", token.offset, len(token.text))
            elif token.is_word(*OPERATORS) and place not in hidden and self._tokens[place - 1].is_word("SELECT"):
                note = f"write it around the query: {token.text.upper()}(SELECT …)"
                message = f"{token.text} cannot be here"
                raise Mistake(SYNTAX, message, token.offset, len(token.text), note)
        check_joins([token for place, token in enumerate(self._tokens) if place >= begin and place not in hidden])
        self._at = len(self._tokens)
        sql = self._blank(begin, hidden)
        offset = self._tokens[begin].offset if named is None else named.offset
        return Query(sql, offset, windows, operator, name, columns, makes_stream)

    def _operator_inside(self) -> set[int]:
        """The places of the tokens to leave out of `SELECT ISTREAM(a, b) FROM …`, as the papers on CQL write it: the
        operator and the parentheses around everything that is selected. It is about the rows of the whole query."""
        if not self._peek_is(*OPERATORS):
            return set()
        depth = 0
        for place in range(self._at + 1, len(self._tokens)):
            depth += {"(": 1, ")": -1}.get(self._tokens[place].text, 0)
            if depth == 0:
                after = self._tokens[place + 1 : place + 2]
                closes = place > self._at + 1 and bool(after) and after[0].is_word("FROM")
                return {self._at, self._at + 1, place} if closes else set()
        return set()

    def _blank(self, begin: int, hidden: set[int]) -> str:
        """The text from a token to the end of the statement; all else is blank, and line ends stay."""
        kept = list("".join(c if c in "\n\r" else " " for c in self._text))
        for place in range(begin, len(self._tokens)):
            if place not in hidden:
                token = self._tokens[place]
                kept[token.offset : token.end] = token.text
        return "".join(kept)

    def _window(self) -> Content:
        """What is between the brackets of a window."""
        first = self._next("a window")
        content: Content
        if first.is_word("NOW"):
            content = Now()
        elif first.is_word("UNBOUNDED"):
            content = Range(None)
        elif first.is_word("RANGE"):
            content = self._range()
        elif first.is_word("ROWS"):
            content = LastRows(self._count())
        elif first.is_word("PARTITION"):
            self._expect("BY")
            keys = [self._key()]
            while self._skip(","):
                keys.append(self._key())
            self._expect("ROWS")
            content = LastRows(self._count(), tuple(keys))
        else:
            known = ("RANGE", "ROWS", "NOW", "UNBOUNDED", "PARTITION")
            hint = similar(first.text.upper(), known)
            note = hint or "windows are [RANGE 20 MINUTES SLIDE 1 MINUTE], [NOW], [ROWS 5], [PARTITION BY a ROWS 5]"
            raise Mistake(WINDOW, f"a window cannot begin with {first.text}", first.offset, len(first.text), note)
        end = self._next("]")
        if end.text != "]":
            raise Mistake(WINDOW, f"{end.text} does not belong into this window", end.offset, len(end.text))
        return content

    def _range(self) -> Range:
        if self._skip("UNBOUNDED"):
            return Range(None)
        length = self._length("the length of a window")
        if not self._skip("SLIDE"):
            return Range(length)
        slide = self._length("how far a window slides")
        if slide.amount < 1:
            raise Mistake(WINDOW, "a window slides by at least one time point", slide.offset)
        return Range(length, slide)

    def _key(self) -> tuple[str, int]:
        name, token = self._name("the name of a column")
        if self._skip("."):
            name, token = self._name("the name of a column")
        return name, token.offset

    def _count(self) -> int:
        token = self._next("a number of rows")
        if not token.text.isdecimal() or int(token.text) < 1:
            message = f"a window has a whole number of rows, at least 1, not {token.text}"
            raise Mistake(WINDOW, message, token.offset, len(token.text))
        return int(token.text)
