"""The experiments on Spark: streams, histories, the state of a stream, recovery, and a cluster in the small.

The rule is a join with a key, `q(K,A,C) :- p(K,A,B) in [20], p(K,B,C) in [20].`, with about one result for each event.
If the unit is thousand events/s, higher is better, and a ratio is a contender's rate over ours. All experiments share
one session, which ends with the process, or with `session.close`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lasing.bench.measuring.course import Effort
from lasing.bench.measuring.records import Cell, Experiment, Figure
from lasing.bench.spark import sentences
from lasing.bench.spark.cells import RATE, Measurement, unmeasured
from lasing.bench.spark.cluster import NAME as CLUSTER
from lasing.bench.spark.cluster import REBUILT, WORK, Clusters
from lasing.bench.spark.cluster_sentences import of_clusters
from lasing.bench.spark.recovery import NAME as RECOVERY
from lasing.bench.spark.recovery import Recoveries
from lasing.bench.spark.replay import NAME as REPLAY
from lasing.bench.spark.replay import Replays
from lasing.bench.spark.session import missing
from lasing.bench.spark.state import NAME as STATE
from lasing.bench.spark.state import SHARE, SIZE, States
from lasing.bench.spark.streams import NAME as STREAM
from lasing.bench.spark.streams import Streams


def is_full(effort: Effort) -> bool:
    """Whether to measure all settings, not just one."""
    return effort.length > 1


def streams(effort: Effort) -> Streams:
    """Two million events for the main setting; for others, enough to measure a rate."""
    if not is_full(effort):
        return Streams({50_000: 4}, (2,), 2, (50_000, 2), 4, 2, 2)
    return Streams({20_000: 4, 50_000: 4, 200_000: 4, 500_000: 3}, (1, 2, 4), 2, (200_000, 2), 10, 3, 3)


def replays(effort: Effort) -> Replays:
    """A history of a million events, or fewer."""
    return Replays(1_000_000, (1, 2, 4), 2) if is_full(effort) else Replays(200_000, (2,), 2)


def states(effort: Effort) -> States:
    """Windows from small to large."""
    return States((10_000, 100_000, 400_000), 100_000, 4) if is_full(effort) else States((10_000,), 100_000, 2)


def recoveries(effort: Effort) -> Recoveries:
    """Kill each process three times, or not at all."""
    return Recoveries(3 if is_full(effort) else 0)


def clusters(effort: Effort) -> Clusters:
    """Small batches show what a batch costs, large ones what an event costs."""
    if not is_full(effort):
        return Clusters((2,), (2, 8), {20_000: 3})
    return Clusters((1, 2), (2, 8, 32, 64), {1_000: 8, 100_000: 6})


def _cells(name: str, plan: Callable[[Effort], Measurement]) -> Callable[[Effort], Iterator[Cell]]:
    def cells(effort: Effort) -> Iterator[Cell]:
        why = missing()
        yield from unmeasured(name, plan(effort), why) if why else plan(effort).cells()

    return cells


def _count(plan: Callable[[Effort], Measurement]) -> Callable[[Effort], int]:
    def count(effort: Effort) -> int:
        return len(plan(effort).contenders) if missing() else plan(effort).count()

    return count


_ROWS = "rows in a shard's window"
_STATE_FIGURES = (
    Figure(STATE, "State of a shard", "rows", _ROWS, SIZE, only={"measured": SIZE}, slope=True),
    Figure(f"{STATE}-share", "Time for the state", "rows", _ROWS, SHARE, only={"measured": SHARE}),
)
_OF_WORK, _OF_MOVES = {"measured": WORK}, {"measured": REBUILT}
_CLUSTER_FIGURES = (
    Figure(CLUSTER, "Work of a batch", "shards", "shards", WORK, ("executors",), "batch", _OF_WORK, slope=True),
    Figure(f"{CLUSTER}-moved", "Moved", "shards", "shards", REBUILT, ("executors",), "batch", _OF_MOVES),
)

SPARK: tuple[Experiment, ...] = (
    Experiment(
        STREAM,
        "Streams on Spark",
        "How many events a second does a stream on Spark take in, and what does reasoning add to the cost of Spark?",
        _cells(STREAM, streams),
        _count(streams),
        (Figure(STREAM, "Streams on Spark", "batch", "events in a batch", RATE, panels="shards", slope=True),),
        RATE,
        sentences.of_streams,
    ),
    Experiment(
        REPLAY,
        "Histories on Spark",
        "How many events a second does a replay of a history take in, in slices of time or in shards?",
        _cells(REPLAY, replays),
        _count(replays),
        (Figure(REPLAY, "Histories on Spark", "parts", "slices or shards", RATE, panels="divided"),),
        RATE,
        sentences.of_replays,
    ),
    Experiment(
        STATE,
        "The state of a stream on Spark",
        "How large is the state of a shard, and how much of a batch's time does it take?",
        _cells(STATE, states),
        _count(states),
        _STATE_FIGURES,
        "MB, % or ms, as measured",
        sentences.of_states,
    ),
    Experiment(
        RECOVERY,
        "Recovery on Spark",
        "How long does a stream pause when an executor or the driver is killed?",
        _cells(RECOVERY, recoveries),
        _count(recoveries),
        unit="s",
        sentences=sentences.of_recoveries,
    ),
    Experiment(
        CLUSTER,
        "A cluster in the small",
        "What does a second executor gain, and what do more shards cost: in rate, processor time, and data that moves?",
        _cells(CLUSTER, clusters),
        _count(clusters),
        _CLUSTER_FIGURES,
        "thousand events/s a core, ms, kB or %, as measured",
        of_clusters,
    ),
)
