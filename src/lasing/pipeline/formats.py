"""The formats of sources and sinks, and the keys that each of them has in a pipeline's file."""

from __future__ import annotations

from lasing.connectors.live import making
from lasing.connectors.live.tls import TLS_KEYS

SPARK, LOCAL = ENGINES = ("spark", "local")
"""What runs a pipeline: Spark, or this process alone."""

Keys = dict[str, tuple[type, ...]]

FILE_FORMATS = ("parquet", "csv", "json")
LIVE_SOURCES = ("socket", "mqtt", "kafka", "http", "unix", "stdin")
ROTATING = "file"
"""The format of a sink whose files of JSON lines rotate."""
LIVE_SINKS = ("socket", "mqtt", "kafka", "http", "unix", ROTATING)
SINKS_ON_SPARK: dict[str, Keys] = {
    **{name: {"path": (str,)} for name in FILE_FORMATS},
    "console": {},
    "kafka": {"servers": (str,), "topic": (str,)},
}
"""The keys of the sinks that Spark writes to."""
ON_SPARK: dict[str, Keys] = {
    **{name: {"path": (str,), "files_per_batch": (int,)} for name in FILE_FORMATS},
    "socket": {"host": (str,), "port": (int,), "payload": (str,)},
    "rate": {"rows_per_second": (int,)},
    "kafka": {"servers": (str,), "topic": (str,), "payload": (str,), "from": (str,)},
    "mqtt": {
        "host": (str,),
        "port": (int,),
        "topic": (str,),
        "payload": (str,),
        "user": (str,),
        "password": (str,),
        "password_env": (str,),
        "password_file": (str,),
        **TLS_KEYS,
    },
}
"""The keys of the sources that Spark reads, in addition to those that all sources have."""
SOURCE_KEYS: dict[str, Keys] = {
    **ON_SPARK,
    **{name: {**ON_SPARK[name], "follow": (str,)} for name in FILE_FORMATS},
    **{name: {"payload": (str,), **making.SOURCE_KEYS[name]} for name in LIVE_SOURCES},
}
"""The keys of a source by format, in addition to `format`, `fact`, `time`, `schema` and `options`."""
NEEDED = {
    **dict.fromkeys(FILE_FORMATS, ("path",)),
    "rate": (),
    **{name: making.NEEDED[name] for name in LIVE_SOURCES},
}
SINK_KEYS: dict[str, Keys] = {
    **SINKS_ON_SPARK,
    **{name: making.SINK_KEYS[name] for name in LIVE_SINKS},
}
SINKS_NEED = {
    **dict.fromkeys(FILE_FORMATS, ("path",)),
    "console": (),
    **{name: making.NEEDED[name] for name in LIVE_SINKS},
}
MESSAGES = LIVE_SOURCES
"""Sources of messages, each with one row."""
NEED_SCHEMA = ("csv", "json", *MESSAGES)
PAYLOADS = ("json", "csv")
RATE_COLUMNS = {"timestamp": "timestamp", "value": "bigint"}
