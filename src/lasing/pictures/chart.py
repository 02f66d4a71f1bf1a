"""A timeline as a chart of Altair: to zoom, pan and hover over, with every atom, however many there are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from lasing.errors import LasingError, fault
from lasing.pictures.timeline import Item, Lane, Timeline

if TYPE_CHECKING:
    import altair

_MOST_KEYS = 40
"""With more first arguments than this, atoms are packed into rows without names."""
_ROW, _HIGHEST, _WIDTH = 14, 420, 760
_COLOURS = {"data": "#0b5cad", "derived": "#e8943a", "possible": "#f7d9b5", "window": "#6639ba"}


def chart(timeline: Timeline) -> altair.VConcatChart:
    """A view for each lane, one below the other, on one scale of time."""
    try:
        import altair
    except ImportError:
        note = "charts need it: pip install 'lasing[viz]'; pictures (.svg) do not"
        raise fault("E772", "altair is not installed", note=note) from None
    zoom = altair.selection_interval(bind="scales", encodings=["x"], name="zoom")
    views = [_view(altair, timeline, lane) for lane in timeline.lanes]
    with catch_warnings():
        simplefilter("ignore", UserWarning)  # that all views have one selection is meant: they are zoomed together
        joined = altair.vconcat(*views, spacing=4, title=timeline.title).add_params(zoom)
    joined = joined.resolve_scale(x="shared").configure_view(stroke="#d0d7de")
    shown: altair.VConcatChart = joined.configure_axis(grid=False)
    return shown


def chart_text(timeline: Timeline, ending: str) -> str:
    """The chart as Vega-Lite (.json) or as a page (.html).

    The page has its scripts in itself if vl-convert-python is installed, and otherwise loads them from the web.
    """
    drawn = chart(timeline)
    import altair

    with altair.data_transformers.enable("default", max_rows=None):
        if ending == ".json":
            return json.dumps(drawn.to_dict(), indent=1, ensure_ascii=False) + "\n"
        alone = find_spec("vl_convert") is not None
        page: str = drawn.to_html(inline=alone, json_kwds={"cls": _ForScripts})
        return page


class _ForScripts(json.JSONEncoder):
    """JSON that can stand inside a script of a page: no text in it ends the script."""

    def encode(self, o: Any) -> str:
        return super().encode(o).replace("<", "\\u003c")


def _view(altair: Any, timeline: Timeline, lane: Lane) -> Any:
    """A lane: windows behind, then bars and dots."""
    rows, named = _rows(lane.items)
    kind = "T" if timeline.tick is not None and _dated(timeline) else "Q"
    values = [
        {
            "row": row,
            "kind": item.kind,
            "atom": item.text,
            "since": _begin(timeline, item.since),
            "until": _begin(timeline, item.until + 1),
            "when": _time(timeline, item.since),
            "holds": _holds(timeline, item),
        }
        for item, row in zip(lane.items, rows, strict=True)
    ]
    ends = [_begin(timeline, timeline.start), _begin(timeline, timeline.end + 1)]
    scale = altair.Scale(domain=ends, nice=False) if kind == "Q" else altair.Scale(type="utc", nice=False)
    last = lane is timeline.lanes[-1]
    whole = {"tickMinStep": 1} if kind == "Q" else {}
    axis = altair.Axis(title="time" if last else None, labels=last, ticks=last, **whole)
    y = altair.Y("row:N", title=lane.predicate, sort=None, axis=altair.Axis(labels=named, ticks=False))
    hints = [altair.Tooltip("atom:N"), altair.Tooltip("holds:N")]
    colour = altair.Color(
        "kind:N", scale=altair.Scale(domain=list(_COLOURS), range=list(_COLOURS.values())), legend=None
    )
    base = altair.Chart()
    layers = [
        base.transform_filter("datum.kind != 'data'")
        .mark_bar(cornerRadius=2, height=_ROW - 4)
        .encode(x=altair.X(f"since:{kind}", scale=scale, axis=axis), x2="until", y=y, color=colour, tooltip=hints),
        base.transform_filter("datum.kind == 'data'")
        .mark_circle(size=46, opacity=1)
        .encode(x=altair.X(f"when:{kind}", scale=scale, axis=axis), y=y, color=colour, tooltip=hints),
    ]
    if lane.shades:
        shades = [
            {"window": s.window, "since": _begin(timeline, s.since), "until": _begin(timeline, s.until + 1)}
            for s in lane.shades
        ]
        shade = altair.Chart(altair.Data(values=shades)).mark_rect(color=_COLOURS["window"], opacity=0.12)
        x = altair.X(f"since:{kind}", scale=scale, axis=axis)
        layers.insert(0, shade.encode(x=x, x2="until", tooltip=altair.Tooltip("window:N")))
    height = min(max(len(set(rows)), 1) * _ROW, _HIGHEST)
    return altair.layer(*layers, data=altair.Data(values=values)).properties(width=_WIDTH, height=height)


def _rows(items: Sequence[Item]) -> tuple[list[str], bool]:
    """The row of each atom, and whether rows have names.

    There is a row for each derived atom, and for each first argument of facts, if these are few enough; else each goes
    into the first row that is free."""
    names = [item.key if item.kind == "data" else f"{item.key},{item.rest}".strip(",") for item in items]
    if len(set(names)) <= _MOST_KEYS:
        return names, True
    ends: list[int] = []
    rows: list[str] = []
    for item in items:
        number = next((i for i, end in enumerate(ends) if end < item.since), len(ends))
        if number == len(ends):
            ends.append(item.until)
        ends[number] = item.until
        rows.append(f"{number:06}")
    return rows, False


def _dated(timeline: Timeline) -> bool:
    """Whether the whole timeline has dates."""
    assert timeline.tick is not None
    try:
        timeline.tick.instant(timeline.start), timeline.tick.instant(timeline.end + 1)
    except LasingError:  # beyond the calendar
        return False
    return True


def _time(timeline: Timeline, time: int) -> int | str:
    """A time point, as Vega-Lite reads it: a number, or the instant at which it begins."""
    if timeline.tick is None or not _dated(timeline):
        return time
    return timeline.tick.instant(time).isoformat()


def _begin(timeline: Timeline, time: int) -> float | str:
    """Where the bar of a time point begins: at its instant, or half a unit before its number."""
    when = _time(timeline, time)
    return when if isinstance(when, str) else when - 0.5


def _holds(timeline: Timeline, item: Item) -> str:
    since, until = timeline.time_text(item.since), timeline.time_text(item.until)
    return f"at {since}" if since == until else f"from {since} to {until}"
