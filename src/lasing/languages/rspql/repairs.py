"""Parts of SPARQL that rdflib or pyoxigraph cannot read, in other words.

For rdflib, these words mean the same:

- `!(p | ^q)` loses the q in rdflib: `(!(p) | ^(!(q)))`.
- `c:d\\?` keeps its backslash in rdflib: the IRI itself.
- `PREFIX a: <x> PREFIX b: <x>` loses the `a:` in rdflib: IRIs in place of names.
- `VALUES (?x ?y) {}` loses its variables in rdflib: `{ VALUES (?x ?y) { (UNDEF UNDEF) } FILTER (1 = 0) }`.
- `GROUP BY (?x + 1)` has no value in rdflib: `GROUP BY (?x + 1 AS ?_group_key_1)`, and `GROUP BY ?x` for `(?x)`.

pyoxigraph only checks the syntax, so the words may mean something else:

- `GROUP BY (?x AS ?y)` loses the ?y in pyoxigraph: `GROUP BY (!?x AS ?y)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urljoin

from lasing.languages.rspql.tokens import Token, tokens

_ESCAPE = re.compile(r"\\(.)")


def repaired(text: str, base: str = "") -> str:
    """A query that rdflib reads as the standard does.

    >>> repaired("PREFIX c: <http://c/> SELECT * { ?s !(c:p|^c:q) c:x\\\\? }")
    'PREFIX c: <http://c/> SELECT * { ?s (!(c:p)|^(!(c:q))) <http://c/x?> }'
    """
    read = list(tokens(text))
    changes = [*_names(read, base), *_negated_sets(read), *_empty_tables(read), *_group_keys(read)]
    for start, end, other in sorted(changes, reverse=True):
        text = text[:start] + other + text[end:]
    return text


def checkable(text: str) -> str:
    """A query that is legal for pyoxigraph if and only if it is by the standard; offsets stay the same if possible.

    >>> checkable("SELECT ?y { ?x ?p ?o } GROUP BY (?x AS ?y) ?o")
    'SELECT ?y { ?x ?p ?o } GROUP BY (!?x AS?y) ?o'
    """
    changes: list[Change] = []
    for key in _parenthesised_keys(list(tokens(text))):
        if [token.kind for token in key] == ["mark", "variable", "word", "variable", "mark"]:
            _, variable, word, alias, _ = key
            spare = text[word.end : alias.offset].endswith(" ")
            changes.append((variable.offset, variable.offset, "!"))
            changes += [(alias.offset - 1, alias.offset, "")] if spare else []
    for start, end, other in sorted(changes, reverse=True):
        text = text[:start] + other + text[end:]
    return text


Change = tuple[int, int, str]


def _names(read: list[Token], base: str) -> list[Change]:
    prefixes: dict[str, str] = {}
    declared: list[str] = []
    found: list[Change] = []
    for i, token in enumerate(read):
        after = read[i + 1 : i + 3]
        if token.is_word("BASE") and after and after[0].kind == "iri":
            base = urljoin(base, after[0].text[1:-1])
        elif token.is_word("PREFIX") and len(after) == 2 and after[1].kind == "iri":
            name, iri = after[0].text.removesuffix(":"), urljoin(base, after[1].text[1:-1])
            declared += [name, iri]
            prefixes[name] = iri
        elif token.kind == "word" and ":" in token.text and not (i and read[i - 1].is_word("PREFIX")):
            prefix, _, local = token.text.partition(":")
            if prefix in prefixes and ("\\" in local or len(set(declared)) < len(declared)):
                found.append((token.offset, token.end, f"<{prefixes[prefix]}{_ESCAPE.sub(_escaped, local)}>"))
    return found


def _escaped(found: re.Match[str]) -> str:
    return found[1]


def _negated_sets(read: list[Token]) -> list[Change]:
    found: list[Change] = []
    for i, token in enumerate(read[:-1]):
        if token.text != "!":
            continue
        if read[i + 1].text == "^" and i + 2 < len(read):
            found.append((token.offset, read[i + 2].end, f"^(!({read[i + 2].text}))"))
        elif read[i + 1].text == "(":
            end = next((j for j in range(i + 2, len(read)) if read[j].text == ")"), i + 2)
            inside = read[i + 2 : end]
            if any(part.text == "^" for part in inside) and all(
                part.text in ("^", "|") or part.kind in ("iri", "word") for part in inside
            ):
                found.append((token.offset, read[end].end, _union(inside)))
    return found


def _union(inside: list[Token]) -> str:
    forward: list[str] = []
    backward: list[str] = []
    for i, token in enumerate(inside):
        if token.kind in ("iri", "word"):
            (backward if i and inside[i - 1].text == "^" else forward).append(token.text)
    ahead, back = "|".join(forward), "|".join(backward)
    return f"(!({ahead})|^(!({back})))" if forward else f"^(!({back}))"


def _empty_tables(read: list[Token]) -> list[Change]:
    """Empty VALUES inside of patterns. After a query, where no group can be, they only lose columns of `SELECT *`."""
    found: list[Change] = []
    depth = 0
    for i, token in enumerate(read):
        depth += (token.text == "{") - (token.text == "}")
        if not token.is_word("VALUES") or depth == 0:
            continue
        start = next((j for j in range(i, len(read)) if read[j].text == "{"), len(read))
        if [other.text for other in read[start : start + 2]] != ["{", "}"]:
            continue
        names = " ".join(other.text for other in read[i + 1 : start])
        row = " ".join("UNDEF" for other in read[i + 1 : start] if other.kind == "variable")
        row = f"({row})" if names.startswith("(") else row
        found.append((token.offset, read[start + 1].end, f"{{ VALUES {names} {{ {row} }} FILTER (1 = 0) }}"))
    return found


def _parenthesised_keys(read: list[Token]) -> Iterator[list[Token]]:
    """The tokens of each `( … )` of a GROUP BY, with the parentheses."""
    for i, token in enumerate(read):
        if not token.is_word("GROUP") or i + 1 == len(read) or not read[i + 1].is_word("BY"):
            continue
        opened: list[int] = []
        for j in range(i + 2, len(read)):
            if not opened and (read[j].text in ("{", "}") or read[j].is_word(*_AFTER_GROUPS)):
                break
            if read[j].text == "(":
                opened.append(j)
            elif read[j].text == ")" and opened:
                start = opened.pop()
                called = read[start - 1].kind in ("iri", "word") and start - 1 > i + 1
                if not opened and not called:
                    yield read[start : j + 1]


_AFTER_GROUPS = ("HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES")


def _group_keys(read: list[Token]) -> list[Change]:
    found: list[Change] = []
    for number, key in enumerate(_parenthesised_keys(read), start=1):
        depth = 0
        named = False
        for token in key:
            depth += (token.text == "(") - (token.text == ")")
            named = named or (depth == 1 and token.is_word("AS"))
        if len(key) == 3 and key[1].kind == "variable":
            found.append((key[0].offset, key[2].end, key[1].text))
        elif not named:
            found.append((key[-1].offset, key[-1].offset, f" AS ?_group_key_{number}"))
    return found
