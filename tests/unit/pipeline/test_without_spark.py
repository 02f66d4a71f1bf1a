"""Without PySpark, a pipeline says what to install."""

from __future__ import annotations

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
