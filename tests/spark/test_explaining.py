"""The checkpoint of a query on Spark says why an atom holds, and why one does not, as a run on one machine does."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

import lasing
from lasing.cli.pipeline_past import explain_past
from lasing.errors import LasingError
from lasing.explain.as_json import explanation_json
from lasing.pipeline.config import read_pipeline
from lasing.pipeline.kept import moment
from lasing.pipeline.kept_on_spark import SparkStates
from tests.spark.conftest import Files, parts
from tests.spark.test_batch import JOIN, stream
from tests.spark.test_pipeline import HEAD, SOURCE, pipeline, run
from tests.spark.test_replacing import answers

PROGRAM = (
    JOIN
    + """
alone(K, A) :- p(K, A, B) in [3], not q(K, A, B).
"""
)
SINKS = '[sinks.q]\nformat = "parquet"\npath = "out"\n[sinks.alone]\nformat = "parquet"\npath = "alone"\n'


@pytest.fixture
def keep_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command ends its session when it is done, but here all tests share one."""
    monkeypatch.setattr(import_module("lasing.spark.session"), "stop", lambda: None)


@pytest.mark.usefixtures("spark", "keep_the_session")
def test_a_checkpoint_explains_what_held_and_what_did_not(
    files: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = stream(240, 30)
    files("in", parts(table, 100, 130))
    path = pipeline(tmp_path, HEAD.format(view="changes") + SOURCE.format(format="parquet") + SINKS, PROGRAM)
    run(path)
    described = read_pipeline(path)
    rows = [(row["time"], "p", *list(row.values())[1:]) for row in table.to_pylist()]
    end, earlier = rows[-1][0], rows[115][0]
    held = answers(PROGRAM, table)
    kept = SparkStates(described)

    for time in (end, earlier):  # what follows from one state, and what follows from two
        then = moment(kept, time)
        whole = lasing.run(described.program, rows, end=time)
        some = {(atom.predicate, atom.args[0]): atom for atom in held[time] if atom.args[0] in (0, 1, 2, 3)}
        assert len(some) >= 7, "both shards have some of each"
        for atom in some.values():
            (found,) = then.explain(str(atom))
            assert explanation_json(found) == explanation_json(whole.explain(str(atom)))
        with pytest.raises(LasingError, match=r"E335.*does not hold"):
            then.explain("q(0,99,99)")
        absent, on_one_machine = then.why_not("q(0,99,99)"), whole.why_not("q(0,99,99)")
        assert absent.attempts[0].distance == on_one_machine.attempts[0].distance
        assert (absent.atom, absent.now) == (on_one_machine.atom, time)

    goal = min(str(atom) for atom in held[earlier] if atom.predicate == "q")
    explain_past(described, f"{goal} at {earlier}", [], why_not=False, form="text")
    shown = capsys.readouterr().out
    assert shown.startswith(f"{goal} at {earlier}\n")
    assert "(data" in shown
    explain_past(described, "q(0,99,99)", [str(earlier)], why_not=True, form="json")
    assert json.loads(capsys.readouterr().out)["holds"] is False
    with pytest.raises(LasingError, match=r"E335.*holds at"):
        explain_past(described, f"{goal} at {earlier}", [], why_not=True, form="text")
    with pytest.raises(LasingError, match="E623"):
        explain_past(described, f"{goal} at -100", [], why_not=False, form="text")
