"""Messages of a topic of Kafka, from all its partitions.

Kafka keeps messages, so they need no journal: a position is the next offset in each partition, and belongs to the
checkpoint of whoever runs the source. No group is joined, and nothing is committed to the cluster.

Partitions are merged by the timestamps of their messages: the next message is the oldest of those that come next in
their partitions, and each partition says what comes next, or that it is at its end. So a partition that is read faster
than another one does not make its facts late.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from lasing.connectors.live.backoff import Backoff
from lasing.connectors.live.kafka_address import KafkaAddress
from lasing.connectors.live.protocol import Arrivals, Position
from lasing.errors import Diagnostic, LasingError, fault, warn

EARLIEST, LATEST = BEGINNINGS = ("earliest", "latest")
MOST_BYTES = 64 * 2**20
_AT_ONCE = 10_000
_MOST_AHEAD = 50_000
"""How many messages of a partition may wait for those of others before it is not read for a while."""
_A_MOMENT = 0.1
_ASK_WITHIN = 5.0
_LOOK_AGAIN = 60.0
"""How often to look for new partitions, in seconds."""
_PATIENCE = 10.0
_TRYING = "trying again, with growing pauses"


@dataclass(frozen=True, slots=True)
class _Message:
    payload: bytes
    partition: int
    offset: int
    millisecond: int


@dataclass(slots=True)
class _Partition:
    """What has come from a partition and was not handed on. `at_end`: nothing follows that, for now; or for good, if
    the source reads only what is there, which `end` says."""

    number: int
    waiting: deque[_Message] = field(default_factory=deque)
    at_end: bool = False
    paused: bool = False
    end: int | None = None

    @property
    def is_known(self) -> bool:
        """Whether it says what comes next in it."""
        return bool(self.waiting) or self.at_end


class KafkaSource:
    """Reads a topic from its beginning (`earliest`) or from now on (`latest`), and after a restart from a position."""

    def __init__(
        self,
        address: KafkaAddress,
        beginning: str = EARLIEST,
        most_bytes: int = MOST_BYTES,
        backoff: Backoff | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        if beginning not in BEGINNINGS:
            raise fault("E524", f"{address}: from is {beginning!r}", note=f"it is one of {', '.join(BEGINNINGS)}")
        self._address, self._beginning, self._most_bytes = address, beginning, most_bytes
        self._backoff = backoff or Backoff()
        self._more = dict(more or {})
        self._until_now = False
        self._offsets: dict[int, int] = {}
        """Where to continue after what was taken."""
        self._partitions: dict[int, _Partition] = {}
        self._changed = threading.Condition()
        self._ready: deque[_Message] = deque()
        self._ready_bytes = 0
        self._begun: dict[int, int] = {}
        """Offsets at which partitions begin that were not yet said in a position."""
        self._failure: LasingError | None = None
        self._ended = False
        self._closed = threading.Event()
        self._findings: deque[Diagnostic] = deque()
        self._lost = False
        self._thread: threading.Thread | None = None

    # -- in the thread that runs everything ------------------------------------------------------------------------

    def until_now(self) -> None:
        """End with what is there when the source starts."""
        self._until_now = True

    def start(self, position: Position | None) -> None:
        self._offsets = _offsets_of(position, self._address)
        more = {"error_cb": self._on_error, **self._more, **_CONSUMER}
        more["queued.max.messages.kbytes"] = max(1, self._most_bytes // 2**11)
        self._consumer = self._address.client("Consumer", more)
        self._thread = threading.Thread(target=self._run, daemon=True, name=f"reads {self._address}")
        self._thread.start()

    def take(self, most: int, wait: float) -> Arrivals | None:
        until = monotonic() + wait
        with self._changed:
            while not (self._ready or self._begun or self._ended or self._failure is not None):
                left = until - monotonic()
                if left <= 0 or not self._changed.wait(left):
                    break
            found = [self._ready.popleft() for _ in range(min(most, len(self._ready)))]
            self._ready_bytes -= sum(len(message.payload) for message in found)
            self._offsets |= self._begun
            news, self._begun = bool(self._begun), {}
            over = self._failure if not self._ready else None
            self._changed.notify_all()
        self._warn()
        if not found and over is not None:
            raise over
        if not found and not news:
            return None
        for message in found:
            self._offsets[message.partition] = message.offset + 1
        topic = self._address.topic
        return Arrivals(
            [message.payload for message in found],
            {"topic": topic, "offsets": {str(number): offset for number, offset in sorted(self._offsets.items())}},
            [f"kafka {topic}/{message.partition}:{message.offset}" for message in found],
            [message.millisecond * 1000 for message in found],
        )

    def finished(self) -> bool:
        with self._changed:
            return self._ended and self._failure is None and not self._ready and not self._begun

    def settled(self, position: Position) -> None:
        """Kafka decides by itself how long it keeps messages."""

    def close(self) -> None:
        self._closed.set()
        self._backoff.stop()
        with self._changed:
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(_PATIENCE)
        self._warn()

    def _warn(self) -> None:
        found = []
        while self._findings:
            found.append(self._findings.popleft())
        warn(found)

    # -- in a thread of its own ------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._read()
        except LasingError as error:
            self._fail(error)
        except Exception as error:  # the runner must hear of a mistake of ours, or it would wait for ever
            self._fail(fault("E520", f"{self._address}: {type(error).__name__}: {error}"))
        finally:
            self._consumer.close()

    def _read(self) -> None:
        looked = -_LOOK_AGAIN
        while not self._closed.is_set() and self._failure is None:
            if monotonic() - looked >= _LOOK_AGAIN:
                if not self._look_for_partitions() and not self._partitions:
                    if not self._backoff.pause():
                        return
                    continue
                looked = monotonic()
            for message in self._consumer.consume(_AT_ONCE, _A_MOMENT):
                self._take_in(message)
            self._hand_on(_merged(self._partitions.values()))
            if self._until_now and self._has_all():
                with self._changed:
                    self._ended = True
                    self._changed.notify_all()
                return
            self._hold_back()

    def _look_for_partitions(self) -> bool:
        """Read partitions that are new; whether the cluster has said which ones there are."""
        import confluent_kafka as kafka

        topic = self._address.topic
        try:
            known = self._consumer.list_topics(topic, timeout=_ASK_WITHIN).topics[topic]
            if known.error is not None or not known.partitions:
                raise kafka.KafkaException(known.error or kafka.KafkaError(kafka.KafkaError.UNKNOWN_TOPIC_OR_PART))
            new = sorted(set(known.partitions) - set(self._partitions))
            ends = self._ends(new) if self._until_now or self._begins_now() else {}
        except kafka.KafkaException as error:
            self._consumer.poll(0)  # says first why a connection was refused
            if self._until_now and error.args[0].code() == kafka.KafkaError.UNKNOWN_TOPIC_OR_PART:
                raise fault("E520", f"{self._address} does not exist", note="is the name of the topic right?") from None
            self._on_error(error.args[0])
            return False
        if self._begins_now():
            with self._changed:
                self._begun = ends  # all at once, so that a position has all partitions
                self._changed.notify_all()
        for number in new:
            self._partitions[number] = _Partition(number, end=ends[number] if self._until_now else None)
        self._lost = False
        self._backoff.succeeded()
        if new:
            assigned = [kafka.TopicPartition(topic, number, self._begun_at(number)) for number in new]
            self._consumer.incremental_assign(assigned)
        return True

    def _begins_now(self) -> bool:
        """Whether to leave out what is there already. A partition that is made later is read from its beginning."""
        return self._beginning == LATEST and not self._partitions and not self._offsets

    def _ends(self, numbers: Iterable[int]) -> dict[int, int]:
        """The offsets after the last messages of some partitions."""
        import confluent_kafka as kafka

        there = {number: kafka.TopicPartition(self._address.topic, number) for number in numbers}
        return {n: self._consumer.get_watermark_offsets(p, timeout=_ASK_WITHIN)[1] for n, p in there.items()}

    def _begun_at(self, number: int) -> int:
        import confluent_kafka as kafka

        with self._changed:
            known = self._begun.get(number, self._offsets.get(number))
        return kafka.OFFSET_BEGINNING if known is None else known

    def _take_in(self, message: Any) -> None:
        from confluent_kafka import KafkaError

        error = message.error()
        if error is None:
            self._lost = False
            partition, offset = self._partitions[message.partition()], message.offset()
            partition.at_end = partition.end is not None and offset + 1 >= partition.end
            if partition.end is None or offset < partition.end:
                payload = message.value() or b""  # without a value, it says that a key was deleted: an empty line
                when = max(0, message.timestamp()[1])
                partition.waiting.append(_Message(payload, partition.number, offset, when))
        elif error.code() == KafkaError._PARTITION_EOF:
            self._lost = False
            self._partitions[message.partition()].at_end = True
        elif error.code() in (KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE):
            where = f"{self._address}: partition {message.partition()}"
            note = "has the topic been made anew, or is its retention too short? start with a new checkpoint"
            raise fault("E530", f"{where} no longer has the messages from offset {message.offset()} on", note=note)
        else:
            self._on_error(error)

    def _hand_on(self, messages: list[_Message]) -> None:
        """Let messages be taken, as soon as there is room for them."""
        with self._changed:
            while messages and self._ready_bytes > self._most_bytes and not self._closed.is_set():
                self._changed.wait(1.0)
            self._ready.extend(messages)
            self._ready_bytes += sum(len(message.payload) for message in messages)
            self._changed.notify_all()

    def _has_all(self) -> bool:
        """Whether each partition was read to where it ended when the source was started."""
        return bool(self._partitions) and all(p.at_end and not p.waiting for p in self._partitions.values())

    def _hold_back(self) -> None:
        """Do not read on in partitions that are far ahead of others."""
        import confluent_kafka as kafka

        for partition in self._partitions.values():
            there = [kafka.TopicPartition(self._address.topic, partition.number)]
            if not partition.paused and len(partition.waiting) > _MOST_AHEAD:
                self._consumer.pause(there)
                partition.paused = True
            elif partition.paused and len(partition.waiting) <= _MOST_AHEAD // 2:
                self._consumer.resume(there)
                partition.paused = False

    def _on_error(self, error: Any) -> None:
        """Something that librdkafka says: a refusal, or that it goes on trying, which is reported once."""
        refusal = self._address.refusal(error)
        if refusal is not None:
            self._fail(refusal)
        elif not self._lost:
            self._lost = True
            self._findings.append(Diagnostic("W212", f"{self._address}: {error.str()}", note=_TRYING))

    def _fail(self, error: LasingError) -> None:
        with self._changed:
            if self._failure is None:
                self._failure = error
            self._changed.notify_all()


_CONSUMER: dict[str, Any] = {
    "group.id": "lasing",  # asked for, but never joined
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "enable.partition.eof": True,
    "auto.offset.reset": "error",
    "fetch.wait.max.ms": 100,
}


def _merged(partitions: Iterable[_Partition]) -> list[_Message]:
    """The messages that come next, oldest first, until a partition does not say what comes next in it.

    >>> def partition(number, *milliseconds, **more):
    ...     messages = deque(_Message(b"", number, i, time) for i, time in enumerate(milliseconds))
    ...     return _Partition(number, messages, **more)
    >>> [(m.partition, m.millisecond) for m in _merged([partition(0, 1, 5, 9), partition(1, 3, 4)])]
    [(0, 1), (1, 3), (1, 4)]
    >>> [(m.partition, m.millisecond) for m in _merged([partition(0, 1, 5), partition(1, 3, at_end=True)])]
    [(0, 1), (1, 3), (0, 5)]
    """
    import heapq

    all_of_them = list(partitions)
    if not all_of_them or not all(partition.is_known for partition in all_of_them):
        return []
    heads = [(p.waiting[0].millisecond, p.number, p) for p in all_of_them if p.waiting]
    heapq.heapify(heads)
    found = []
    while heads:
        _, number, oldest = heads[0]
        found.append(oldest.waiting.popleft())
        if oldest.waiting:
            heapq.heapreplace(heads, (oldest.waiting[0].millisecond, number, oldest))
        elif oldest.at_end:
            heapq.heappop(heads)
        else:
            break
    return found


def _offsets_of(position: Position | None, address: KafkaAddress) -> dict[int, int]:
    if position is None:
        return {}
    note = "was its format or its topic changed? start with a new checkpoint"
    if not isinstance(position, dict) or position.get("topic") != address.topic:
        raise fault("E523", f"{address}: {position!r} is not a position in this topic", note=note)
    return {int(number): int(offset) for number, offset in position["offsets"].items()}
