"""What gets damaged inputs, and where sound ones come from. A target makes an input from a seed, and takes it."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq

import lasing
from lasing.cli import main
from lasing.errors import SourceText
from lasing.languages import format_program, translated
from lasing.languages.lars.formatter import format_text
from lasing.pipeline.config import read_pipeline
from tests.conformance.cases import all_cases
from tests.differential.dotr_programs import dotr_example
from tests.fuzz.mutations import EDGES, TEXTS, bytes_of, words_of

REPOSITORY = Path(__file__).parents[2]
SECONDS = 2.0
"""How long an evaluation may take before its limit ends it."""
MEMORY = "500 MB"

RULES = """
    #tick 1 min.
    hot(S) :- temp(S, V) in [5], V > 30.
    mean(S, M) :- M = #avg{V : temp(S, V) in [5]}, temp(S, _) in [5].
    newest(S, V) :- (_, V) = #last{T, W : temp(S, W) at T in [5]}, temp(S, _) in [5].
    last(S, V) :- temp(S, V) in [#3].
    quiet(S) :- room(S), not temp(S, _) in [2].
    steady(S) :- hot(S), temp(S, V) always in [1].
    room(s1).  room(s2).
"""
ROWS = [(29453760 + i // 3, f"s{i % 3}", [35, 20.5, -3, "n/a", 2**40][i % 5]) for i in range(30)]


@dataclass(frozen=True)
class Target:
    """`take` gets what `make` has made; it raises nothing but LasingError."""

    name: str
    make: Callable[[Random], bytes]
    take: Callable[[bytes], None]
    share: int = 4
    """Its share of inputs, relative to the others: slow targets get fewer."""


def targets() -> list[Target]:
    """All targets, sorted by name."""
    return [
        Target("arguments", _arguments, _take_arguments, share=1),
        Target("csv", _damaged(_csv), _file_of(".csv")),
        Target("dotr", _damaged(_dotr), _take_dotr, share=2),
        Target("etalis", _damaged(_etalis), _take_etalis),
        Target("facts", _damaged(_facts), _file_of(".facts")),
        Target("jsonl", _damaged(_jsonl), _file_of(".jsonl")),
        Target("parquet", _damaged_bytes(_parquet), _file_of(".parquet")),
        Target("pipeline", _damaged(_pipelines), _take_pipeline),
        Target("program", _damaged(_programs), _take_program),
        Target("push", _pushes, _take_pushes, share=2),
        Target("snapshot", _snapshots, _take_snapshot),
        Target("tesla", _damaged(_tesla), _take_tesla),
    ]


# -- seeds -----------------------------------------------------------------------------------------------------------


@cache
def _programs() -> list[bytes]:
    golden = [path.read_bytes() for path in sorted((REPOSITORY / "tests" / "golden" / "programs").glob("*.lars"))]
    examples = [path.read_bytes() for path in sorted((REPOSITORY / "examples").rglob("*.lars"))]
    return [*golden, *examples, *(case.program.encode() for case in all_cases()), RULES.encode()]


@cache
def _tesla() -> list[bytes]:
    """The patterns of the example and of the page on events."""
    return [*_examples("tesla"), *_blocks("tesla")]


@cache
def _dotr() -> list[bytes]:
    return [*_examples("dotr"), *_blocks("dotr"), *(dotr_example(seed).text.encode() for seed in range(20))]


@cache
def _etalis() -> list[bytes]:
    """The rules of the example and of the page on events with intervals."""
    return [*_examples("etalis"), *_blocks("etalis", "etalis.md")]


def _examples(ending: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((REPOSITORY / "examples").rglob(f"*.{ending}"))]


def _blocks(ending: str, name: str = "events.md") -> list[bytes]:
    page = (REPOSITORY / "docs" / "reference" / name).read_text(encoding="utf-8")
    found = re.findall(rf"<!-- file \S+\.{ending} -->\n```\n(.*?)```", page, re.DOTALL)
    return [block.encode() for block in found]


@cache
def _facts() -> list[bytes]:
    dated = 'temp(s1, 35) at "2026-01-01T00:00:00Z".\ntemp(s2, 20.5) at "2026-01-01T00:01:00Z".\n'
    numbered = "".join(f"temp({s}, {json.dumps(v)}) at {t}.\n" for t, s, v in ROWS)
    return [numbered.encode(), dated.encode(), *(case.stream.encode() for case in all_cases() if case.stream.strip())]


@cache
def _csv() -> list[bytes]:
    plain = "time,sensor,value\n" + "".join(f"{t},{s},{v}\n" for t, s, v in ROWS)
    dated = "value;time;sensor\n35;2026-01-01T00:00:00Z;s1\n;2026-01-01 00:01:00;s2\n"
    quoted = 'time,sensor,value\r\n29453760,"s, ""1""",5\r\n29453761,"two\nlines",\r\n'
    return [plain.encode(), dated.encode(), quoted.encode()]


@cache
def _jsonl() -> list[bytes]:
    objects = "".join(json.dumps({"time": t, "sensor": s, "value": v}) + "\n" for t, s, v in ROWS)
    facts = "".join(json.dumps({"time": t, "predicate": "temp", "args": [s, v]}) + "\n" for t, s, v in ROWS)
    return [objects.encode(), facts.encode(), b'{"time": "2026-01-01T00:00:00Z", "sensor": null, "value": 1.5}\n']


@cache
def _parquet() -> list[bytes]:
    numbers = [v if isinstance(v, int | float) else None for _, _, v in ROWS]
    tables = [
        pa.table({"time": [r[0] for r in ROWS], "sensor": [r[1] for r in ROWS], "value": [r[0] % 50 for r in ROWS]}),
        pa.table({"time": pa.array([r[0] for r in ROWS], pa.timestamp("s")), "s": ["a"] * 30, "v": numbers}),
        pa.table({"time": [1, 2], "s": pa.array(["x", None]).dictionary_encode(), "v": [True, None]}),
    ]
    written = []
    for table in tables:
        for compression in ("none", "snappy"):
            buffer = io.BytesIO()
            pq.write_table(table, buffer, compression=compression)
            written.append(buffer.getvalue())
    return written


@cache
def _pipelines() -> list[bytes]:
    small = """
        program = "p.lars"
        mode = "batch"
        sources.a = {format = "csv", path = "a", fact = "temp(s, v)"}
        sinks.hot = {format = "console"}
    """
    return [(REPOSITORY / "examples" / "city" / "city.toml").read_bytes(), small.encode()]


def _damaged(seeds: Callable[[], Sequence[bytes]]) -> Callable[[Random], bytes]:
    def make(chance: Random) -> bytes:
        seed = chance.choice(seeds())
        return bytes_of(seed, chance) if chance.random() < 0.4 else words_of(seed, chance, seeds())

    return make


def _damaged_bytes(seeds: Callable[[], Sequence[bytes]]) -> Callable[[Random], bytes]:
    return lambda chance: bytes_of(chance.choice(seeds()), chance)


# -- what takes them -------------------------------------------------------------------------------------------------


def _limits() -> dict[str, object]:
    return {"max_time": SECONDS, "max_memory": MEMORY, "max_atoms": 100_000}


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="lasing-fuzz-"))


def _take_program(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    with contextlib.suppress(lasing.LasingError):
        format_text(SourceText("program", text))
    program = lasing.parse(text)
    stream = "a(x1,y) at 1. p(a) at 1. p at 1. tram(a1,b) at 2. p(b) at 3. temp(120) at 3. p at 4."
    for answer in lasing.run(program, stream, start=0, end=6, models=3, **_limits()):  # type: ignore[arg-type]
        str(answer)


def _take_tesla(data: bytes) -> None:
    _take_patterns(
        data, "tesla", "a(1) at 1. b(7) at 2. temp(hall,50) at 2. temp(hall) at 2. smoke(hall) at 3. s at 4."
    )


def _take_etalis(data: bytes) -> None:
    _take_patterns(data, "etalis", "on(m1) at 1. temp(m1,70) at 2. temp(m1) at 2. off(m1) at 3. p at 3. q at 4.")


def _take_dotr(data: bytes) -> None:
    s, value = "<http://ex.org/s1>", "<http://ex.org/value>"
    _take_patterns(data, "dotr", f"triple({s},{value},5) at 1. triple({s},<http://ex.org/in>,<http://ex.org/r1>) at 2.")


def _take_patterns(data: bytes, language: str, stream: str) -> None:
    text = data.decode("utf-8", "replace")
    source = SourceText("program", text)
    with contextlib.suppress(lasing.LasingError):
        laid_out = format_program(source, language)
        assert format_program(SourceText("program", laid_out), language) == laid_out
    program = lasing.parse(text, language=language)
    translated(program, language)
    for answer in lasing.run(program, stream, start=0, end=6, **_limits()):  # type: ignore[arg-type]
        str(answer)


def _file_of(ending: str) -> Callable[[bytes], None]:
    def take(data: bytes) -> None:
        path = _folder() / f"temp{ending}"
        path.write_bytes(data)
        run = lasing.run(RULES, path, **_limits())  # type: ignore[arg-type]
        for _ in zip(range(1000), run.changes(), strict=False):
            continue

    return take


def _take_pipeline(data: bytes) -> None:
    (_folder() / "p.lars").write_text("hot(S) :- temp(S, V) in [5], V > 30.")
    path = _folder() / "pipeline.toml"
    path.write_bytes(data)
    read_pipeline(path)


VALUES = ["s1", "", "1", 1, 1.0, 2.5, -0.0, 2**63 - 1, 2**63, -(2**64), 1e308, float("nan"), float("inf"), None, True]
VALUES += ["\ud800", "a\x00b", b"bytes", (), [], {}, object, "x" * 5000, "ü", "😀"]


PREDICATES: list[object] = ["temp"] * 8 + ["room", "x", 3, ""]


def _pushes(chance: Random) -> bytes:
    """A list of calls, as a seed for the calls themselves: they hold values that no text has."""
    return chance.randbytes(8)


def _take_pushes(data: bytes) -> None:
    chance = Random(data)
    engine = lasing.Engine(RULES, **_limits())  # type: ignore[arg-type]
    now = 0
    for _ in range(8):
        now += chance.choice([0, 0, 1, 1, 5, 2**31, -1])
        time: object = chance.choice([now] * 12 + [None, "soon", 1.5, 2**62, "2026-01-01", True])
        facts = [
            (chance.choice(PREDICATES), *chance.choices(VALUES, k=chance.choice([2, 2, 2, 0, 5])))
            for _ in range(chance.choice([0, 1, 5]))
        ]
        with contextlib.suppress(lasing.LasingError):
            match chance.randrange(4):
                case 0 | 1:
                    update = engine.push(time, facts)
                    str(update.added), update.to_arrow()
                case 2:
                    names = ["time", "s", "v"]
                    rows = [[now, *chance.choices(VALUES, k=2)] for _ in range(3)]
                    with contextlib.suppress(pa.ArrowException, TypeError, OverflowError, UnicodeError):
                        frame = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
                        engine.push_batch({"temp": frame})
                case _:
                    engine = lasing.Engine.restore(RULES, engine.snapshot(), **_limits())  # type: ignore[arg-type]


@cache
def _whole_snapshots() -> list[bytes]:
    found = []
    for number in (0, 5, 30):
        engine = lasing.Engine(RULES, 29453760)
        for row in ROWS[:number]:
            engine.push(row[0], [("temp", *row[1:])])
        found.append(_to_ipc(engine.snapshot()))
    return found


def _to_ipc(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _snapshots(chance: Random) -> bytes:
    """A snapshot with wrong bytes, or one whose cells or metadata were edited."""
    whole = chance.choice(_whole_snapshots())
    if chance.random() < 0.5:
        return bytes_of(whole, chance)
    table = pa.ipc.open_stream(whole).read_all()
    columns = {name: table[name].to_pylist() for name in table.column_names}
    for _ in range(chance.choice([1, 3])):
        name = chance.choice(list(columns))
        if columns[name]:
            row = chance.randrange(len(columns[name]))
            edge = chance.choice([*EDGES, *TEXTS])
            columns[name][row] = {"time": chance.choice([0, -1, 2**62, 29453760]), "predicate": edge}.get(name, [edge])
    schema = table.schema
    if chance.random() < 0.5:
        kept = dict(schema.metadata or {})
        kept[b"lasing"] = words_of(kept.get(b"lasing", b"{}"), chance, [b'{"start": 1, "time": null}'])
        schema = schema.with_metadata(kept)
    return _to_ipc(pa.table(columns, schema=schema))


def _take_snapshot(data: bytes) -> None:
    try:
        table = pa.ipc.open_stream(data).read_all()
    except (pa.ArrowException, OSError, EOFError):
        return  # what Arrow itself refuses never gets here
    engine = lasing.Engine.restore(RULES, table, **_limits())  # type: ignore[arg-type]
    engine.answer()
    engine.snapshot()


COMMANDS = [
    *("run p.lars s.facts", "run p.lars s.facts --as changes --from 1 --to 9", "run p.lars temp=s.csv --format jsonl"),
    *("run p.lars s.facts --times iso -o out.parquet", "run p.lars s.facts --engine reference --show hot/1 -c n=5"),
    *(
        "check p.lars",
        "check p.lars --plan",
        "fmt p.lars",
        "models check p.lars s.facts --at 3",
        "--version",
        "run --help",
    ),
    *("models sat p.lars --at 3", "pipeline p.toml", "run p.lars - --input-format csv", "run p.lars s.facts --sort -q"),
    *("run p.lars s.facts --max-atoms 10", "run p.lars s.facts --max-memory 1kb", "run p.lars s.facts --max-time 1ms"),
]
PIECES = [
    "",
    "-",
    "--",
    "--as",
    "-o",
    "/",
    ".",
    "..",
    "nosuch",
    "p.lars",
    "=",
    "temp=",
    "temp()=s.csv",
    "a=b=c",
    "\udc80",
    "é",
]


def _arguments(chance: Random) -> bytes:
    words = shlex.split(chance.choice(COMMANDS))
    for _ in range(chance.choice([0, 1, 1, 2, 3])):
        at = chance.randrange(len(words) + 1)
        words[at : at + chance.choice([0, 1])] = [chance.choice([*PIECES, *EDGES, *TEXTS[:6]])]
    return json.dumps(words).encode("utf-8")


def _take_arguments(data: bytes) -> None:
    words = [word for word in json.loads(data) if "\0" not in word]
    if "bench" in words:
        return
    folder = _folder()
    (folder / "p.lars").write_text(RULES)
    (folder / "s.facts").write_bytes(_facts()[0])
    (folder / "s.csv").write_bytes(_csv()[0])
    (folder / "p.toml").write_bytes(b"program = 3\n")
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace")
    feed = io.TextIOWrapper(io.BytesIO(_csv()[0]))
    with contextlib.chdir(folder), patch.multiple(sys, argv=["lasing", *words], stdout=out, stderr=err, stdin=feed):
        try:
            main()
        except SystemExit as end:
            if end.code not in (None, 0, 1, 2):
                raise


def quietly(target: Target, data: bytes) -> None:
    """Let a target take an input. It must report a bad input with LasingError, and nothing else."""
    with warnings.catch_warnings(), contextlib.suppress(lasing.LasingError):
        warnings.simplefilter("ignore", lasing.LasingWarning)
        target.take(data)
