"""A run from end to end, on experiments that take no time: what is printed, and what is written."""

from __future__ import annotations

import getpass
import io
import json
import platform
import re
import sys
from dataclasses import fields, replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from lasing.bench import experiments
from lasing.bench.bars.blocks import BLOCKS
from lasing.bench.bars.ratios import COLUMNS, ratios
from lasing.bench.experiments import BARS, EXPERIMENTS, GROUPS, SECTIONS, choose
from lasing.bench.measuring.course import Effort, course
from lasing.bench.measuring.records import Cell
from lasing.bench.measuring.workloads import J
from lasing.bench.reporting import report
from lasing.bench.reporting.machine import machine, versions
from lasing.bench.reporting.progress import ProgressBar
from lasing.cli import app
from lasing.errors import fault
from tests.unit.bench.fake import JOIN, QUARREL, fakes

__all__ = ["fakes"]


def bench(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["bench", *map(str, arguments)])


CHANGES = """\
A join: what changes, in µs per atom (rate 200)
 window   our engine   dictionaries           Laser   derived atoms
────────────────────────────────────────────────────────────────────
 20            0.213     12.3 (58x)   not installed           1,234
 80            0.427     24.7 (58x)   not installed           1,234
Medians; the quartiles lie within 20% of them.

"""
ANSWERS = """\
A join: all that holds, in µs per atom (rate 200)
 window   our engine       clingo
──────────────────────────────────
 20             1.50   150 (100x)
 80             1.50          [1]
Medians; the quartiles lie within 0% of them.
[1] too slow at smaller settings already

- Of 10 cells, 3 are empty.
"""
LIGHTS = """\
Lights
 what     measured           bar    holds
─────────────────────────────────────────────────
 speed    slow               fast   NO
 colour   there is no lamp   red    not measured
"""


@pytest.mark.usefixtures("fakes")
def test_tables_on_a_terminal() -> None:
    done = bench()
    assert done.exit_code == 0
    printed = "\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n"
    assert CHANGES + ANSWERS in printed
    assert "Spark: not installed: pip install 'lasing[spark]'" in printed
    assert LIGHTS in printed
    assert max(map(len, printed.splitlines())) <= 100
    assert done.stderr == "measuring fake-join … 0 s\nmeasuring lights … 0 s\n"


@pytest.mark.usefixtures("fakes")
def test_quick_measures_less_and_leaves_spark_out_unless_named() -> None:
    assert "\n 80 " not in bench("fake-join", "--quick").stdout
    assert "Spark: not measured by --quick, unless named" in bench("--quick").stdout
    assert "Spark: not installed" in bench("--quick", "spark").stdout
    assert " speed    fast               fast   yes " in bench("--quick", "lights").stdout


def test_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with ProgressBar(total=5) as progress:
        progress.begin("fake-join", 3)
        progress.advance("dictionaries, window 20")
        with progress.aside():
            terminal.write("a table\n")
        progress.end()  # with fewer cells than it promised
        progress.begin("lights", 2)
    shown = re.sub(r"\x1b\[[\d;?]*\w", "", terminal.getvalue())
    assert re.search(r"fake-join, 2 of 3 .* 1/5 .* left .* after dictionaries, window 20", shown)
    assert "a table\n" in shown
    assert re.search(r"lights, 1 of 2 .* 3/5 ", shown)


def test_list_names_the_experiments_of_a_group() -> None:
    listed = [line.split()[0] for line in bench("dotr", "--list").stdout.splitlines()]
    assert "dotr-rules" in listed
    assert listed[-1] == "dotr"
    assert all(name.startswith("dotr") for name in listed)


@pytest.mark.usefixtures("fakes")
def test_names() -> None:
    listed = bench("--list").stdout.splitlines()
    assert listed[0] == "fake-join   What does a join cost?"
    assert listed[-1] == "bars        Which bars does the engine clear? One by one: lights."
    unknown = bench("fake-joint")
    assert unknown.exit_code == 2
    assert "there is no 'fake-joint' among fake-join, fake-spark" in " ".join(unknown.stderr.split())


def test_spark_needs_its_packages_and_a_java(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_java() -> None:
        raise fault("E601", "there is no Java", note="install one")

    monkeypatch.setattr("lasing.spark.java.provide_java", no_java)
    assert experiments.without_spark() == "not installed: there is no Java (install one)"
    monkeypatch.setattr("lasing.spark.java.provide_java", lambda: None)
    assert experiments.without_spark() == ""
    monkeypatch.setattr(experiments, "find_spec", lambda _: None)
    assert experiments.without_spark() == "not installed: pip install 'lasing[spark]'"


def test_a_name_may_select_an_experiment_and_a_section(monkeypatch: pytest.MonkeyPatch) -> None:
    join = replace(JOIN, name="rules")
    monkeypatch.setattr(experiments, "EXPERIMENTS", {"rules": join})
    monkeypatch.setattr(experiments, "GROUPS", {"laser": ("rules",)})
    chosen = {name: choose([name]) for name in ("rules", "laser", "bars", "push")}
    assert {name: plan.experiments for name, plan in chosen.items()} == {
        "rules": (join,),
        "laser": (join,),
        "bars": (),
        "push": (),
    }
    sections = {"rules": ("rules",), "laser": (), "bars": SECTIONS, "push": ("push",)}
    assert {name: plan.sections for name, plan in chosen.items()} == sections


def test_names_of_groups_and_pictures_are_their_own() -> None:
    assert not {*GROUPS, BARS} & {*EXPERIMENTS, *SECTIONS}
    assert {*SECTIONS} == {*BLOCKS, "ratios"}
    pictures = [figure.name for experiment in EXPERIMENTS.values() for figure in experiment.figures]
    assert len(pictures) == len(set(pictures))


@pytest.mark.usefixtures("fakes")
def test_a_folder_gets_a_report_the_cells_and_pictures(tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    out.mkdir(parents=True)
    (out / "notes.txt").write_text("mine")
    (out / "report.md").write_text("old")
    assert bench("--out", out).exit_code == 0
    pictures = {f"fake-{name}.{form}" for name in ("join", "slopes") for form in ("svg", "png")}
    assert {path.name for path in out.iterdir()} == {"notes.txt", "report.md", "cells.jsonl", *pictures}
    assert (out / "notes.txt").read_text() == "mine"
    page = (out / "report.md").read_text(encoding="utf-8")
    for text in (
        "What `lasing bench` measured on 20",
        "- [A join](#a-join): What does a join cost?\n",
        "## A join\n\nWhat does a join cost?\n\n- Of 10 cells, 3 are empty.\n",
        "![A join, by window](fake-join.svg)\n",
        "### A join: what changes, in µs per atom (rate 200)\n\n| window | our engine | dictionaries | Laser |",
        "| 80 | 0.427 | 24.7 (58x) | not installed | 1,234 |\n",
        "\n[1] too slow at smaller settings already\n",
        "| 20 | 200 | dictionaries | changes | 12.3 | 11.1 – 14.8 | 58x | 1,234 |  |\n",
        "## Spark\n\nWhat does Spark cost?\n\n**not installed: pip install 'lasing[spark]'**\n",
        "### Lights\n\n| what | measured | bar | holds |\n|---|---|---|---|\n| speed | slow | fast | NO |\n",
        "| extent | full |\n",
        f"| Python | {platform.python_version()} (CPython) |\n",
    ):
        assert text in page
    assert "fake-nothing" not in page
    assert str(tmp_path) not in page


@pytest.mark.usefixtures("fakes")
def test_cells_can_be_read_again(tmp_path: Path) -> None:
    bench("--out", tmp_path, "fake-join")
    first, *lines = (tmp_path / "cells.jsonl").read_text(encoding="utf-8").splitlines()
    about = json.loads(first)
    assert about["command"] == "lasing bench fake-join"
    assert not about["quick"]
    assert about["machine"].keys() == machine().keys()
    assert about["versions"] == versions()
    read = []
    for line in lines:
        found = json.loads(line)
        assert found.keys() == {field.name for field in fields(Cell)}
        read.append(Cell(**{**found, "spread": found["spread"] and tuple(found["spread"])}))
    assert read == list(JOIN.cells(Effort(turns=1, length=1)))


@pytest.mark.usefixtures("fakes")
def test_a_page_has_a_folder_of_its_name_beside_it(tmp_path: Path) -> None:
    """As `make benchmarks` writes docs/benchmarks.md and docs/benchmarks/."""
    page = tmp_path / "docs" / "benchmarks.md"
    assert f"wrote {page}" in bench("--out", page).stderr
    links = re.findall(r"!\[[^]]*\]\(([^)]*)\)", page.read_text(encoding="utf-8"))
    assert links == ["benchmarks/fake-join.svg", "benchmarks/fake-slopes.svg"]
    assert all((page.parent / link).exists() for link in links)
    assert (tmp_path / "docs" / "benchmarks" / "cells.jsonl").exists()


@pytest.mark.usefixtures("fakes")
def test_pictures_are_valid_readable_and_alike(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        bench("--out", tmp_path / folder, "fake-join")
    for form in ("svg", "png"):
        for name in ("fake-join", "fake-slopes"):
            first, second = ((tmp_path / folder / f"{name}.{form}").read_bytes() for folder in ("one", "two"))
            assert first == second
    assert (tmp_path / "one" / "fake-join.png").read_bytes().startswith(b"\x89PNG\r\n")
    tree = ElementTree.parse(tmp_path / "one" / "fake-slopes.svg")
    texts = {"".join(node.itertext()).strip() for node in tree.iter("{http://www.w3.org/2000/svg}text")}
    assert {"A join, on both axes", "changes", "answers", "20", "80", "our engine (slopes 0.50, 0.00)"} <= texts


@pytest.mark.usefixtures("fakes")
def test_without_matplotlib_there_is_a_report_without_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "find_spec", lambda _: None)
    done = bench("--out", tmp_path, "fake-join")
    assert done.exit_code == 0
    assert report.NO_PICTURES in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"report.md", "cells.jsonl"}
    page = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "pip install 'lasing[bench]'" in page
    assert "![" not in page


def test_a_disagreement_fails_and_the_rest_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiments, "EXPERIMENTS", {e.name: e for e in (QUARREL, JOIN)})
    done = bench("fake-quarrel", "fake-join", "--out", tmp_path)
    assert done.exit_code == 1
    assert "contenders disagree" in done.stdout
    page = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "contenders disagree, so the rest was not measured: at 3 only our engine" in page
    assert "## A join" in page


def test_an_interrupted_run_keeps_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(experiments, "EXPERIMENTS", {"fake-join": JOIN})
    monkeypatch.setattr(experiments, "COSTS", ())
    monkeypatch.setattr("lasing.bench.run._bars", lambda *_: stop(_))
    bench("--out", tmp_path)
    assert "## A join" in (tmp_path / "report.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("fakes")
def test_an_unwritable_place_is_reported_before_anything_is_measured(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = bench("--out", tmp_path / "file")
    assert "E403" in str(done.exception)
    assert "measuring" not in done.stderr


def test_the_machine_is_described_without_names_and_paths() -> None:
    described = " ".join((*machine().values(), *versions().values()))
    assert "GiB" in described
    assert versions()["numpy"] != "not installed"
    for secret in (platform.node(), getpass.getuser(), str(Path.home()), sys.prefix):
        assert len(secret) < 4 or secret not in described
    assert not re.search(r"(^|\s)/\w", described)


def test_bars_are_measured() -> None:
    done = bench("memory", "--quick")
    assert done.exit_code == 0
    assert "bytes" in done.stdout


def test_ratios_have_a_cell_for_each_contender() -> None:
    first = next(ratios(Effort(turns=1, length=1)))
    assert len(first) == len(COLUMNS)
    assert first[0] == "D"


def test_what_counts_begins_when_windows_are_full() -> None:
    c = course(J, rate=3, points=10)
    assert c.warm == 40
    assert c.stream.points == 50
