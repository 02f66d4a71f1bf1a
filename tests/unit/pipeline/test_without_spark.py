"""Without PySpark, a pipeline says what to install, and one with engine = "local" runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

WITHOUT = "import sys; sys.modules['pyspark'] = None; from lasing.cli import main; main()"


def test_what_is_missing_is_named_in_one_error(tmp_path: Path) -> None:
    (tmp_path / "q.lars").write_text("q(X) :- p(X).")
    (tmp_path / "q.toml").write_text(
        'program = "q.lars"\ncheckpoint = "state"\n[sources.p]\nformat = "parquet"\npath = "in"\n'
        '[sinks.q]\nformat = "console"\n'
    )
    command = [sys.executable, "-c", WITHOUT, "pipeline", str(tmp_path / "q.toml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error[E602]: pyspark not installed")
    assert "Traceback" not in done.stderr


ALONE = """
import sys
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pyspark", "pandas", "paho", "py4j"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None

sys.meta_path.insert(0, Absent())
from lasing.cli import main
main()
"""


def test_a_local_pipeline_needs_neither_spark_nor_pandas_nor_mqtt(tmp_path: Path) -> None:
    (tmp_path / "q.lars").write_text("q(X) :- p(X) in [2], X > 1.")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.csv").write_text("time,x\n1,1\n1,2\n2,3\n0,7\n")
    text = (
        'program = "q.lars"\nengine = "local"\ncheckpoint = "state"\ntrigger = "available now"\n'
        '[sources.p]\nformat = "csv"\npath = "in"\nschema = "time bigint, x bigint"\n'
    )
    sinks = "".join(f'[sinks.{f}]\noutput = "q"\nformat = "{f}"\npath = "{f}"\n' for f in ("json", "csv", "parquet"))
    (tmp_path / "q.toml").write_text(text + sinks)

    def lasing(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", ALONE, "pipeline", str(tmp_path / "q.toml"), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    checked, done = lasing("--check"), lasing()
    assert (checked.returncode, done.returncode) == (0, 0), checked.stderr + done.stderr
    rows = [json.loads(line) for line in (tmp_path / "json" / "part-000000.json").read_text().splitlines()]
    wanted = {(0, 7), (1, 7), (1, 2), (2, 7), (2, 2), (2, 3)}
    assert {(row["time"], row["X"]) for row in rows} == wanted
    assert lasing("--at", "2").stdout.splitlines() == ["q(2) at 2.", "q(3) at 2.", "q(7) at 2."]
    mqtt = '[sinks.mqtt]\noutput = "q"\nformat = "mqtt"\nhost = "127.0.0.1"\ntopic = "t"\n'
    (tmp_path / "q.toml").write_text(text.replace("state", "other") + mqtt)
    refused = lasing()
    assert refused.returncode == 1
    assert "lasing[mqtt]" in refused.stderr
    assert "Traceback" not in refused.stderr
