"""DuckDB: SQL over columns."""

from __future__ import annotations

from lasing.bench.peers.contenders import Peer

DUCKDB = Peer("DuckDB", ("duckdb",), "in_duckdb", (400, 20_000), batch=True)
