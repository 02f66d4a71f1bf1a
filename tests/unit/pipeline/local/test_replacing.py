"""Another program for a pipeline in one process: by option, on request while it runs, and compared beforehand."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import typer

import lasing
from lasing import LasingError
from lasing.cli.pipeline_past import explain_past, show_past
from lasing.pipeline.config import read_pipeline
from lasing.pipeline.kept import LocalStates, moment
from lasing.pipeline.local.replacing import Reload
from lasing.pipeline.local.run import run_local
from lasing.pipeline.progress import Progress
from lasing.spark import shard
from tests.unit.pipeline.local.pipelines import HEAD, JOIN, SOURCE, DyingDisk, KilledError, csv_text, json_rows, stream

NEW, LONGER = JOIN.replace("4", "2"), JOIN.replace("4", "9")
SINK = '[sinks.q]\nformat = "json"\npath = "out"\n'
ROWS = stream(1, 80, late=0)
CUT = next(i for i in range(40, 80) if ROWS[i][0] > ROWS[i - 1][0] + 1)
LAST, END = ROWS[CUT - 1][0], ROWS[-1][0]

Views = pytest.mark.parametrize("view", ["answers", "changes", "intervals"])


def prepared(folder: Path, view: str = "changes", head: str = HEAD) -> Path:
    (folder / "in").mkdir(parents=True)
    (folder / "in" / "0.csv").write_text(csv_text(ROWS[:CUT]))
    for name, program in (("join", JOIN), ("new", NEW), ("longer", LONGER)):
        (folder / f"{name}.lars").write_text(program)
    text = f'{head}view = "{view}"\n{SOURCE.format(format="csv", path="in")}options = {{header = true}}\n{SINK}'
    (folder / "join.toml").write_text(text)
    return folder / "join.toml"


def more(folder: Path) -> None:
    (folder / "in" / "1.csv").write_text(csv_text(ROWS[CUT:]))


def run(path: Path, new: str = "", partial: bool = False, disk: DyingDisk | None = None) -> Progress:
    described = read_pipeline(path, path.parent / new if new else None, partial)
    with Progress(described.program, quiet=True, starts_spark=False) as progress:
        run_local(described, progress, disk=disk)
    return progress


def answers(program: str, rows: list[Any]) -> dict[int, frozenset[lasing.Atom]]:
    return {a.time: a.atoms for a in lasing.run(program, [(t, "p", *args) for t, *args in rows])}


def spliced() -> dict[int, frozenset[lasing.Atom]]:
    old, new = answers(JOIN, ROWS[:CUT]), answers(NEW, ROWS)
    return {t: old[t] if t <= LAST else new[t] for t in new}


def seen(folder: Path, view: str) -> dict[int, frozenset[lasing.Atom]]:
    """The answers that follow from what was written."""
    found: dict[int, set[lasing.Atom]] = {t: set() for t in range(ROWS[0][0], END + 1)}
    for row in json_rows(folder / "out"):
        args = [value for name, value in row.items() if name not in ("time", "change", "from", "until")]
        atom = lasing.Atom("q", tuple(args))
        if view == "answers":
            found[row["time"]].add(atom)
        elif view == "intervals":
            for t in range(row["from"], row["until"] + 1):
                assert atom not in found[t]
                found[t].add(atom)
        else:
            for t in range(row["time"], END + 1):
                assert (atom in found[t]) == (row["change"] < 0)
                (found[t].add if row["change"] > 0 else found[t].remove)(atom)
    return {t: frozenset(held) for t, held in found.items()}


@Views
def test_from_the_next_time_point_on_the_new_program_answers(tmp_path: Path, view: str) -> None:
    path = prepared(tmp_path, view)
    run(path)
    more(tmp_path)
    run(path, "new.lars")
    assert seen(tmp_path, view) == spliced()
    run(path, "new.lars")  # the checkpoint belongs to it already
    assert seen(tmp_path, view) == spliced()
    with pytest.raises(LasingError, match=r"E608.*belongs to another program(.|\n)*--replace"):
        run(path)


@Views
def test_a_kill_at_any_moment_of_the_change(tmp_path: Path, view: str) -> None:
    for last in range(1, 40, 3):
        folder = tmp_path / str(last)
        path = prepared(folder, view)
        run(path)
        more(folder)
        try:
            run(path, "new.lars", disk=DyingDisk(last))
        except KilledError:
            run(path, "new.lars")
        assert seen(folder, view) == spliced(), last


def test_what_the_checkpoint_lacks_is_refused_or_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = prepared(tmp_path)
    run(path)
    with pytest.raises(LasingError, match=r"E608.*looks back 9 time points.*last 4 time points are kept"):
        run(path, "longer.lars")
    more(tmp_path)
    run(path, "longer.lars", partial=True)
    assert f"incomplete until time point {LAST + 5}" in capsys.readouterr().err
    wanted = answers(LONGER, ROWS)
    assert {t: a for t, a in seen(tmp_path, "changes").items() if t >= LAST + 5} == {
        t: a for t, a in wanted.items() if t >= LAST + 5
    }


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (f"#tick 1 min. {NEW}", "its tick is different"),
        ("q(K, A, 2.5) :- p(K, A, _) in [2].", "its output q has other columns"),
    ],
)
def test_a_program_that_does_not_fit(tmp_path: Path, program: str, why: str) -> None:
    path = prepared(tmp_path)
    run(path)
    (tmp_path / "new.lars").write_text(program)
    with pytest.raises(LasingError, match=f"E608.*{why}"):
        run(path, "new.lars")


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 900
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_program_is_read_again_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = prepared(tmp_path, head=HEAD.replace('trigger = "available now"\n', ""))
    described, stop, asked, before = read_pipeline(path), Event(), Event(), len(shard._live)
    failed: list[BaseException] = []

    def work(progress: Progress) -> None:
        try:
            run_local(described, progress, stop, reload=Reload(asked, lambda: read_pipeline(path)))
        except BaseException as error:
            failed.append(error)

    def ask(program: str) -> None:
        (tmp_path / "join.lars").write_text(program)
        asked.set()
        wait_until(lambda: failed != [] or not asked.is_set())

    with Progress(described.program, quiet=True, starts_spark=False) as progress:
        thread = Thread(target=work, args=(progress,))
        thread.start()
        try:
            wait_until(lambda: failed != [] or progress.total.events == CUT)
            ask("q(K :- p(K).")
            ask(LONGER)
            ask(NEW + "q(X, X, X) :- pp(X).")
            ask(NEW)
            assert len(shard._live) <= before + 1  # the engine of a program that was replaced is gone
            more(tmp_path)
            wait_until(lambda: failed != [] or progress.total.events == len(ROWS))
        finally:
            stop.set()
            thread.join()
    assert not failed
    assert len(shard._live) == before
    said = capsys.readouterr().err
    assert said.count("warning[W607]: the changed program is not used, and the old one goes on") == 2
    assert "E105" in said
    assert "warning[W101]: pp is neither derived nor background, and no source brings it\n" in said
    assert "looks back 9 time points" in said
    path.write_text(f'trigger = "available now"\n{path.read_text()}')
    run(path)  # its file has the program that the checkpoint belongs to
    found = seen(tmp_path, "changes")
    assert {t: a for t, a in found.items() if t < LAST} == {t: a for t, a in spliced().items() if t < LAST}
    assert {t: a for t, a in found.items() if t > LAST} == {t: a for t, a in spliced().items() if t > LAST}


def test_looking_back_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = prepared(tmp_path, head=f"{HEAD}keep = 1000\n")
    run(path)
    files = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    old = answers(JOIN, ROWS[:CUT])
    kept = LocalStates(read_pipeline(path))
    now = moment(kept)
    assert (now.time, now.holding(now.task)) == (LAST, old[LAST])
    with pytest.raises(LasingError, match=rf"E623.*nothing is known of {LAST + 1} yet\n.*evaluated until {LAST},"):
        moment(kept, LAST + 1)
    described = read_pipeline(path, tmp_path / "new.lars")
    show_past(described, [], diff=True, form="text")
    signs = [line[0] for line in capsys.readouterr().out.splitlines()]
    new = answers(NEW, ROWS[:CUT])[LAST]
    assert [signs.count(sign) for sign in "+-="] == [0, len(old[LAST] - new), len(new)]
    assert signs.count("-") > 0
    show_past(read_pipeline(path), [str(LAST)], diff=False, form="jsonl")
    assert len(capsys.readouterr().out.splitlines()) == len(old[LAST])
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == files


def test_a_time_point_is_answered_by_the_program_that_ran_then(tmp_path: Path) -> None:
    path = prepared(tmp_path, head=f"{HEAD}keep = 1000\n")
    run(path)
    run(path, "new.lars")  # a checkpoint of the new program, at the same time point
    old = LocalStates(read_pipeline(path))
    then = moment(old, LAST)
    assert then.holding(then.task) == answers(JOIN, ROWS[:CUT])[LAST]
    with pytest.raises(LasingError, match="E608"):
        moment(old)  # the program that runs now
    path.write_text(path.read_text().replace("join.lars", "new.lars"))
    new = LocalStates(read_pipeline(path))
    now = moment(new)
    assert (now.time, now.holding(now.task)) == (LAST, answers(NEW, ROWS[:CUT])[LAST])
    with pytest.raises(LasingError, match=r"E608(.|\n)*name the program that it belongs to"):
        moment(new, LAST)


def test_every_time_point_between_checkpoints_that_are_close_together(tmp_path: Path) -> None:
    path = prepared(tmp_path, head=f"{HEAD}keep = 1000\n")
    folder = tmp_path / "in"
    (folder / "0.csv").unlink()
    for number in range(len(ROWS) // 4):
        (folder / f"{number:03}.csv").write_text(csv_text(ROWS[4 * number : 4 * number + 4]))
    run(path)
    wanted, kept, known = answers(JOIN, ROWS), LocalStates(read_pipeline(path)), 0
    for t in range(ROWS[0][0], END + 1):
        try:
            found = moment(kept, t)
        except LasingError as error:
            if error.diagnostics[0].code not in ("E623", "E624"):
                raise
        else:
            known += 1
            assert found.holding(found.task) == wanted[t], t
    assert known > (END - ROWS[0][0]) // 2


def test_a_checkpoint_explains_what_held_and_what_did_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = prepared(tmp_path, head=f"{HEAD}keep = 1000\n")
    run(path)
    described = read_pipeline(path)
    held = sorted(map(str, answers(JOIN, ROWS[:CUT])[LAST]))
    other = f"q({held[0].count(',') * 'none,'}none)"
    explain_past(described, held[0], [], why_not=False, form="text")
    shown = capsys.readouterr().out
    assert shown.startswith(f"{held[0]} at {LAST}\n")
    assert "by q(" in shown
    assert "(data; in the window until" in shown or "(data)" in shown
    with pytest.raises(LasingError, match=r"E335.*does not hold"):
        explain_past(described, other, [], why_not=False, form="text")
    with pytest.raises(LasingError, match=r"E335.*holds at"):
        explain_past(described, f"{held[0]} at {LAST}", [], why_not=True, form="text")
    explain_past(described, other, [str(LAST)], why_not=True, form="json")
    assert json.loads(capsys.readouterr().out)["holds"] is False
    with pytest.raises(typer.BadParameter, match="the time is in the atom"):
        explain_past(described, f"{held[0]} at {LAST}", [str(LAST)], why_not=False, form="text")
    assert all(moment(LocalStates(described)).explain(atom)[0].steps for atom in held)
