"""PyReason: annotated logic over a graph. It can express none of the jobs, so it is not even installed."""

from __future__ import annotations

from lasing.bench.peers.contenders import Peer
from lasing.bench.peers.jobs import JOBS

_CANNOT = (
    "PyReason has no windows: a body holds within one time step, and an atom has bounds of truth rather than values"
)

PYREASON = Peer("PyReason", ("pyreason",), "", (0, 0), dict.fromkeys(JOBS, _CANNOT))
