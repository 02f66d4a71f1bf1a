"""Pathway: tables of Python expressions on a differential dataflow in Rust."""

from __future__ import annotations

from lasing.bench.peers.contenders import Peer

PATHWAY = Peer("Pathway", ("pathway",), "in_pathway", (100, 400), batch=True)
