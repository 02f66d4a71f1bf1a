"""Bytewax: dataflows of Python functions on an engine in Rust."""

from __future__ import annotations

from lasing.bench.peers.contenders import Peer

BYTEWAX = Peer("Bytewax", ("bytewax",), "in_bytewax", (400, 4000))
