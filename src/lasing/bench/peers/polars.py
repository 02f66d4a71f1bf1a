"""Polars: data frames."""

from __future__ import annotations

from lasing.bench.peers.contenders import Peer

POLARS = Peer("Polars", ("polars",), "in_polars", (400, 20_000), batch=True)
