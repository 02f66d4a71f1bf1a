"""Arrow does not import pandas, and still makes frames of it."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
from lasing.connectors.arrow_alone import leave_pandas_out
leave_pandas_out()
import pyarrow as pa
table = pa.table({"a": pa.array([1, 2]), "b": ["x", None]})
assert "pandas" not in sys.modules
frame = table.to_pandas()
assert list(frame["a"]) == [1, 2]
assert pa.table(frame).num_rows == 2
leave_pandas_out()
import lasing
rows = lasing.run("q(X) :- p(X) in [1].", {"p": frame.rename(columns={"a": "time"})}).changes().to_pandas()
assert list(rows["q"].iloc[:, -1]) == ["x"], rows
"""


def test_pandas_is_imported_only_by_those_who_want_it() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
