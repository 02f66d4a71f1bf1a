"""The formats of sources and sinks, and the keys that each of them has in a pipeline's file."""

from __future__ import annotations

SPARK, LOCAL = ENGINES = ("spark", "local")
"""What runs a pipeline: Spark, or this process alone."""
FILE_FORMATS = ("parquet", "csv", "json")
SOURCE_KEYS: dict[str, dict[str, tuple[type, ...]]] = {
    **{name: {"path": (str,), "files_per_batch": (int,), "follow": (str,)} for name in FILE_FORMATS},
    "socket": {"host": (str,), "port": (int,), "payload": (str,)},
    "rate": {"rows_per_second": (int,)},
    "kafka": {"servers": (str,), "topic": (str,), "payload": (str,), "from": (str,)},
    "mqtt": {"host": (str,), "port": (int,), "topic": (str,), "payload": (str,), "user": (str,), "password": (str,)},
}
"""The keys of a source by format, in addition to `format`, `fact`, `time`, `schema` and `options`."""
NEEDED = {
    **dict.fromkeys(FILE_FORMATS, ("path",)),
    "socket": ("host", "port"),
    "rate": (),
    "kafka": ("servers", "topic"),
    "mqtt": ("host", "topic"),
}
SINK_KEYS: dict[str, dict[str, tuple[type, ...]]] = {
    **{name: {"path": (str,)} for name in FILE_FORMATS},
    "console": {},
    "kafka": {"servers": (str,), "topic": (str,)},
}
SINKS_NEED = {**dict.fromkeys(FILE_FORMATS, ("path",)), "console": (), "kafka": ("servers", "topic")}
MESSAGES = ("socket", "kafka", "mqtt", "http", "unix", "stdin")
"""Sources of messages, each with one row."""
NEED_SCHEMA = ("csv", "json", *MESSAGES)
PAYLOADS = ("json", "csv")
RATE_COLUMNS = {"timestamp": "timestamp", "value": "bigint"}
