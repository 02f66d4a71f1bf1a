"""Random programs and streams, with values of all kinds in place of some of their numbers and names."""

from __future__ import annotations

import random
import re
from dataclasses import replace

from lasing.logic.values import value_text
from tests.differential.strategies import Example
from tests.values import ALIKE, ONE_OF_EACH

_ARGUMENT = re.compile(r"(?<=[(,])[^(),]+(?=[),])")
_IN_STREAMS = [value_text(value) for value in (*ONE_OF_EACH, *ALIKE)]
_IRI = value_text(ONE_OF_EACH[7])


def with_terms(example: Example, chance: random.Random) -> Example:
    """The example with other values for some arguments in its stream, and an IRI for the constant `a` in its program.

    The stream has few different values, so that rules find some of them more than once.
    """
    known = [_IRI, *chance.sample(_IN_STREAMS, 4)]

    def argument(found: re.Match[str]) -> str:
        return chance.choice(known) if chance.random() < 0.6 else found[0]

    stream = tuple((time, _ARGUMENT.sub(argument, atom)) for time, atom in example.stream)
    return replace(example, program=re.sub(r"\ba\b(?=[,) ])", _IRI, example.program), stream=stream)
