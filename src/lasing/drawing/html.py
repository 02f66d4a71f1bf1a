"""Tables and programs as HTML for notebooks, which bring their own colours, light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from lasing.drawing.svg import clean

MOST = 50
"""How many rows of a table are shown."""
MOST_LINES = 400
"""How many lines of a program are shown."""

_CODE = """
    .lasing-code { background: #ffffff; color: #1f2328; padding: 0.6em; }
    .lasing-code .c { color: #57606a; font-style: italic; } .lasing-code .k { color: #a40e26; }
    .lasing-code .s { color: #0a5c36; } .lasing-code .m { color: #0b5cad; } .lasing-code .v { color: #8a4600; }
    .lasing-code .d { color: #6639ba; }
    @media screen and (prefers-color-scheme: dark) {
      .lasing-code { background: #0d1117; color: #e6edf3; }
      .lasing-code .c { color: #9da7b3; } .lasing-code .k { color: #ff938a; }
      .lasing-code .s { color: #7ee2a8; } .lasing-code .m { color: #6cb6ff; }
      .lasing-code .v { color: #f0a35e; } .lasing-code .d { color: #c49bff; }
    }
"""

_LANGUAGES = {
    ".rq": "sparql",
    ".sparql": "sparql",
    ".rspql": "sparql",
    ".csparql": "sparql",
    ".cqels": "sparql",
    ".sql": "sql",
    ".lars": "lars",
}


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], most: int = MOST) -> str:
    """A table with a title; rows beyond `most` are only counted.

    >>> table("1", ["X"], [["<b>"]])
    '<div><p><b>1</b></p><table><thead><tr><th>X</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table></div>'
    """
    head = "".join(f"<th>{clean(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(f'<td>{clean(str(c))}</td>' for c in row)}</tr>" for row in islice(rows, most))
    shown = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else "<p><i>nothing</i></p>"
    more = f"<p><i>and {len(rows) - most:,} more</i></p>" if len(rows) > most else ""
    heading = f"<p><b>{clean(title)}</b></p>" if title else ""
    return f"<div>{heading}{shown}{more}</div>"


def code(text: str, ending: str = ".lars") -> str:
    """The text of a program, highlighted if Pygments is installed and knows its language by the ending of its file."""
    lines = text.splitlines()
    shown = _highlighted("\n".join(lines[:MOST_LINES]), ending)
    more = f"<p><i>and {len(lines) - MOST_LINES:,} more lines</i></p>" if len(lines) > MOST_LINES else ""
    return f'<style>{_CODE}</style><pre class="lasing-code">{shown}</pre>{more}'


def _highlighted(text: str, ending: str) -> str:
    try:
        from pygments import lexers, token
        from pygments.util import ClassNotFound
    except ImportError:
        return clean(text)
    try:
        lexer = lexers.get_lexer_by_name(_LANGUAGES.get(ending, ""), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return clean(text)
    kinds = (
        (token.Comment.Preproc, "d"),
        (token.Comment, "c"),
        (token.Keyword, "k"),
        (token.Literal.String, "s"),
        (token.Literal.Number, "m"),
        (token.Name.Variable, "v"),
    )
    parts = []
    for kind, words in lexer.get_tokens(text):
        name = next((name for known, name in kinds if kind in known), "")
        parts.append(f'<span class="{name}">{clean(words)}</span>' if name else clean(words))
    return "".join(parts)
