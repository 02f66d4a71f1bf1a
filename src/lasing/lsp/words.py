"""One line about each word and sign of the language of rules, for people who point at it."""

from __future__ import annotations

from collections.abc import Mapping

from lasing.logic.functions import functions

DIRECTIVES: Mapping[str, str] = {
    "#const": "`#const n = 5.` `n` means 5 anywhere a term or a window size can be; `--const n=6` overrides it.",
    "#include": '`#include "file.lars".` includes the statements of another file, of this folder or below.',
    "#input": "`#input p/2, q/1.` These predicates come from the stream.",
    "#maximize": "`#maximize{w@l, X : body}.` The answers with the highest sum of weights are the best.",
    "#minimize": "`#minimize{w@l, X : body}.` The answers with the lowest sum of weights are the best.",
    "#prefix": "`#prefix ex: <http://ex.org/>.` `ex:a` means the IRI `<http://ex.org/a>`.",
    "#show": "`#show p/2.` Only these predicates are printed; `#show.` prints none.",
    "#stream": "`#stream p/2.` What is derived of these predicates is remembered.",
    "#tick": "`#tick 1 sec.` The length of a time point.",
}
"""The words that begin a statement."""

BRACES: Mapping[str, str] = {
    "#avg": "`N = #avg{V, S : temp(S, V) in [5]}` The average of the first terms of the distinct tuples.",
    "#concat": '`T = #concat{X, ", " : p(X) in [5]}` The texts of the distinct tuples, one after the other.',
    "#count": "`#count{X : a(X) in [5]} >= 3` How many distinct tuples there are.",
    "#first": "`(T, V) = #first{U, W : a(W) at U in [5]}` The least of the tuples; `#first 3` gives each of three.",
    "#last": "`(T, V) = #last{U, W : a(W) at U in [5]}` The greatest of the tuples; `#last 3` gives each of three.",
    "#max": "`N = #max{V : temp(S, V) in [5]}` The greatest first term of the tuples.",
    "#min": "`N = #min{V : temp(S, V) in [5]}` The least first term of the tuples.",
    "#sum": "`N = #sum{V, S : temp(S, V) in [5]}` The sum of the first terms of the distinct tuples.",
}
"""The words before braces."""

KEYWORDS: Mapping[str, str] = {
    "not": "`not a` holds when a does not hold; its variables are bound by other literals.",
    "in": "`a in [5]` holds when a holds at some time point of the window.",
    "at": "`a at T` holds when a holds at time point T, and binds T; in a head, it makes a true at T.",
    "always": "`a always in [5]` holds when a holds at every time point of the window.",
    "and": "`a and b` holds when both formulas hold; a comma does the same between literals.",
    "or": "`a or b` holds when one of the formulas does; between heads, one of them is true.",
    "div": "`X div Y` The quotient, rounded down.",
    "mod": "`X mod Y` The remainder of `div`.",
    "#now": "`#now` The evaluation time, whatever time point a formula jumps to.",
}
"""The words inside rules."""

IN_WINDOWS: Mapping[str, str] = {
    "step": "`[5 step 2]` The window moves by two time points at a time.",
    "by": "`[#1 by X]` The last fact for each value of X.",
    "full": "`[full 5]` The window is taken from the whole stream, not from the enclosing window.",
}
"""The words inside the brackets of windows."""

UNITS: Mapping[str, str] = {
    "ms": "Milliseconds.",
    "s": "Seconds.",
    "sec": "Seconds.",
    "min": "Minutes.",
    "h": "Hours.",
    "d": "Days.",
}

SIGNS: Mapping[str, str] = {
    ":~": "`:~ body. [w@l]` A weak constraint: an answer in which the body holds costs w at level l.",
    "->": "`a -> b` holds when a does not hold or b does.",
    "◇": "`◇ a` holds when a holds at some time point; after a formula it adds nothing.",
    "□": "`□ a` holds when a holds at every time point: `always`.",
    "⊞": "`⊞[5] a` looks at a through a window: `in`.",
    "=": "`X = E` Both are the same value; binds a variable on one side.",
    "!=": "The two values differ.",
    "<": "Less: numbers of all kinds by their value, and likewise texts, truth values, instants and durations.",
    "<=": "Less or equal, by value.",
    ">": "Greater: numbers of all kinds by their value, and likewise texts, truth values, instants and durations.",
    ">=": "Greater or equal, by value.",
    "..": "`[T..U]` The time points from T to U.",
}

WINDOWS: Mapping[str, str] = {
    "5": "The time points from 5 ago to now.",
    "5,-1": "The time points from 5 ago to 1 ago.",
    "+5": "The time points from now to 5 ahead.",
    "3,+1": "The time points from 3 ago to 1 ahead.",
    "5 step 2": "From 5 time points before the last multiple of 2, to that multiple.",
    "#3": "The last three facts of the stream.",
    "#3,+2": "The last three facts of the stream and the next two.",
    "#1 by X": "The last fact of this predicate for each value of X.",
    "T..U": "The time points from T to U, which other literals bind.",
    "*": "Everything from the start of the timeline to now.",
    "*,-1": "Everything from the start of the timeline to 1 ago.",
    "full 5": "The time points from 5 ago to now, of the whole stream.",
}
"""The forms of windows, without their brackets."""

_EVERYWHERE: Mapping[str, str] = {**DIRECTIVES, **BRACES, **KEYWORDS, **SIGNS}


def about_word(kind: str, text: str) -> str:
    """What a word or sign means, by the kind and the text of its token; empty if there is nothing to say.

    >>> about_word("in", "∈")[:10], about_word("NAME", "kitchen")
    ('`a in [5]`', '')
    """
    return _EVERYWHERE.get(kind) or _EVERYWHERE.get(text, "") or about_function(kind)


def about_function(name: str) -> str:
    """What a function or an operator of terms computes, takes and gives.

    >>> about_function("lower")
    '`lower(…)` in lower case; takes one argument, gives a text'
    """
    lines = []
    for entry in functions(name):
        written = f"{name}(…)" if entry.notation == "call" else name
        lines.append(f"`{written}` {entry.about}; takes {entry.arity_text}, gives {entry.gives}")
    return "\n\n".join(lines)
