"""What does it cost to keep a transitive relation closed? Section 5 of Barbieri et al., with all three materialisations
compared at every step first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lasing.bench.barbieri.contenders import Dred, Scratch
from lasing.bench.barbieri.workloads import NEW, RENEWED, SHAPES, Setting
from lasing.bench.measuring.contenders import Columns
from lasing.bench.measuring.course import Effort
from lasing.bench.measuring.records import Cell, Experiment, Figure
from lasing.bench.measuring.turns import DisagreementError
from lasing.bench.scale.stretches import OURS, Entry, Ready, measured
from lasing.engines.local.execute import OUT_ARGS, OUT_SIGN

NAME, SCRATCH, DRED = "barbieri", "from scratch", "DRed"
CHANGED, CHANGED_QUICKLY = (1, 5, 25, 100, 250, 500), (1, 25, 250)
_SAMPLE = 3
"""The steps of a stretch that are evaluated from scratch."""
_SMALL = Setting("tree", 100, background=200, window=100, points=40)


def settings(effort: Effort) -> list[Setting]:
    """All settings, each with enough steps for its turns."""
    changed = CHANGED if effort.length > 1 else CHANGED_QUICKLY
    found = [Setting(shape, x) for shape in SHAPES for x in changed]
    found += [Setting(shape, 25, RENEWED) for shape in SHAPES]
    return [replace(one, points=one.length + _stretch(one) * (effort.turns + 1)) for one in found]


def cells(effort: Effort) -> Iterator[Cell]:
    """A cell for each contender in each setting, once their materialisations have been equal at every step."""
    for shape in SHAPES:
        for arrivals in (NEW, RENEWED):
            all_agree(replace(_SMALL, shape=shape, arrivals=arrivals))
    for setting in settings(effort):
        all_agree(replace(setting, points=setting.length + min(5, _stretch(setting))), setting.length)
        named: dict[str, int | str] = {"shape": setting.shape, "arrivals": setting.arrivals, "changed": setting.changed}
        entries = [
            Entry(OURS, "changes", named, lambda s=setting: _ours(s)),  # type: ignore[misc]
            Entry(DRED, "changes", named, lambda s=setting: _dred(s)),  # type: ignore[misc]
            Entry(SCRATCH, "changes", named, lambda s=setting: _scratch(s)),  # type: ignore[misc]
        ]
        yield from measured(NAME, entries, effort.turns)


def all_agree(setting: Setting, first: int = 0) -> None:
    """Raise `DisagreementError` unless all contenders hold the same after each step from `first` on."""
    ours, dred, scratch = Columns(setting.program, setting.stream, annotated=False), Dred(setting), Scratch(setting)
    held: set[tuple[int, int]] = set()
    for t in range(setting.points):
        for block in ours.to(t):
            for row in block.tolist():
                pair = (row[OUT_ARGS], row[OUT_ARGS + 1])
                (held.add if row[OUT_SIGN] > 0 else held.remove)(pair)
        dred.step(t)
        if t < first:
            continue
        wanted = {(x, z) for x, above in scratch.step(t).items() for z in above}
        maintained = {(x, z) for x, above in dred.closure.items() for z in above}
        for name, found in ((OURS, held), (DRED, maintained)):
            if found != wanted:
                raise DisagreementError(f"{setting}: at {t}, {name} differs by {sorted(found ^ wanted)[:5]}")


def _stretch(setting: Setting) -> int:
    """The steps of a stretch: a whole window, so that work that happens once per window counts."""
    return setting.length


def _ours(setting: Setting) -> Ready:
    engine = Columns(setting.program, setting.stream, annotated=False)
    held = sum(int(block[:, OUT_SIGN].sum()) for block in engine.to(setting.length - 1))
    steps = _stretch(setting)

    def go(number: int) -> None:
        for t in _steps(setting, number):
            list(engine.to(t))

    return Ready(go, steps, held)


def _dred(setting: Setting) -> Ready:
    dred = Dred(setting)
    for t in range(setting.length):
        dred.step(t)

    def go(number: int) -> None:
        for t in _steps(setting, number):
            dred.step(t)

    return Ready(go, _stretch(setting))


def _scratch(setting: Setting) -> Ready:
    scratch = Scratch(setting)

    def go(number: int) -> None:
        for t in _steps(setting, number)[:_SAMPLE]:
            scratch.step(t)

    return Ready(go, _SAMPLE)


def _steps(setting: Setting, number: int) -> range:
    first = setting.length + number * _stretch(setting)
    return range(first, first + _stretch(setting))


def sentences(found: list[Cell]) -> list[str]:
    """How the others compare with expiration times, and where they cross."""
    said = []
    for shape in SHAPES:
        for name in (SCRATCH, DRED):
            theirs = [c for c in found if c.contender == name and c.settings["shape"] == shape and c.ratio is not None]
            new = [c for c in theirs if c.settings["arrivals"] == NEW]
            parts = [f"{c.ratio:.1f}x at {int(c.settings['changed']) / 10:g} %" for c in new]
            slower = [c for c in new if c.ratio is not None and c.ratio < 1]
            crossing = f"; it is faster from {int(slower[0].settings['changed']) / 10:g} % on" if slower else ""
            said.append(f"{shape}: {name} takes {', '.join(parts)} of what expiration takes{crossing}.")
            said += [
                f"{shape}, where all arrivals are renewals at {int(c.settings['changed']) / 10:g} %: {name} takes "
                f"{c.ratio:.2g}x."
                for c in theirs
                if c.settings["arrivals"] == RENEWED
            ]
    return said


BARBIERI: tuple[Experiment, ...] = (
    Experiment(
        NAME,
        "A closure in a moving window",
        "What does it cost to keep a transitive relation closed: from scratch, by DRed, by expiration times?",
        cells,
        lambda effort: 3 * len(settings(effort)),
        (
            Figure(
                NAME,
                "A closure over 10,000 background triples and a window of 5,000 (Barbieri et al., Section 5)",
                "changed",
                "triples in the window that change at each step, of a thousand",
                "µs per step",
                panels="shape",
                only={"arrivals": NEW},
                slope=True,
            ),
        ),
        "µs per step",
        sentences,
    ),
)
"""The experiment of the paper."""
