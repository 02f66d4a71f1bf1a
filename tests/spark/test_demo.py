"""The demo runs, in a small city, and shows what it found."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

CITY = Path(__file__).parents[2] / "examples" / "city"


def test_the_demo_runs_and_leaves_a_picture(tmp_path: Path) -> None:
    city = shutil.copytree(CITY, tmp_path / "city", ignore=shutil.ignore_patterns("day", "__pycache__"))
    command = [sys.executable, str(city / "demo.py"), "--hours", "2", "--sensors", "200"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "The day as a picture: city/day/city.png" in done.stdout.replace("\n", "")
    assert (city / "day" / "city.png").read_bytes().startswith(b"\x89PNG")
    assert "silent" in done.stdout
