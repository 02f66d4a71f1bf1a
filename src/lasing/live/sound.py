"""Bad facts of a push: an engine refuses all facts of the push, or leaves the bad ones out and goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from lasing.connectors.bad_rows import BadRows
from lasing.errors import LasingError, Place, warn
from lasing.live.cores import Facts, checked, frame_of

_PUSHED = "the facts of a push"


def sound_things(facts: Any, bad: BadRows) -> Any:
    """The facts of a push as tuples, without things that are no facts at all."""
    try:
        return checked(facts)
    except LasingError:
        if not bad.skips or isinstance(facts, str | bytes | Mapping) or not isinstance(facts, Iterable):
            raise
    given = list(facts)
    return checked([fact for i, fact in enumerate(given) if _takes(partial(checked, [fact]), bad, _PUSHED, i, fact)])


def sound_facts(facts: Facts, bad: BadRows, encode: Callable[[Facts], object]) -> Facts | None:
    """The facts that an engine can `encode`; None if it can encode them all, so that something else is wrong."""
    before = bad.number
    kept: Any
    if isinstance(facts, Mapping):
        kept = sound_frames(facts, bad, encode)
    else:
        kept = [fact for i, fact in enumerate(facts) if _takes(partial(encode, [fact]), bad, _PUSHED, i, fact)]
    return kept if bad.number > before else None


def sound_frames(frames: Mapping[str, Any], bad: BadRows, encode: Callable[[Facts], object]) -> dict[str, Any]:
    """The rows of tables that an engine can `encode`, row by row."""
    import pyarrow as pa

    kept = {}
    for predicate, frame in frames.items():
        table = frame_of(frame, predicate)
        fits = []
        for number in range(table.num_rows):
            row = table.slice(number, 1)
            fits.append(_takes(partial(encode, {predicate: row}), bad, f"the table of {predicate}", number, row))
        kept[predicate] = table.filter(pa.array(fits, pa.bool_()))
    return kept


def _takes(read: Callable[[], object], bad: BadRows, name: str, number: int, thing: Any) -> bool:
    """Whether something can be read; if not, it is a bad row."""
    try:
        read()
    except LasingError as error:
        shown = thing.to_pylist()[0] if hasattr(thing, "to_pylist") else thing
        kinds = len(bad.first)
        bad.take(error, Place(name, number + 1, 1, repr(shown)))
        if len(bad.first) > kinds and bad.on_bad is None:  # warn once for each kind; `diagnostics` has the numbers
            warn(bad.warnings())
        return False
    return True
