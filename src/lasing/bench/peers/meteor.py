"""MeTeoR: DatalogMTL, which has metric windows, but neither aggregates nor comparisons of values nor negation."""

from __future__ import annotations

from lasing.bench.peers.contenders import Peer

_CANNOT = {
    "average": "DatalogMTL has no aggregates",
    "latest": "DatalogMTL has no aggregates",
    "silent": "MeTeoR has no negation",
    "rising": "MeTeoR cannot compare values",
}

METEOR = Peer("MeTeoR", ("meteor-reasoner",), "in_meteor", (30, 120), _CANNOT, batch=True)
