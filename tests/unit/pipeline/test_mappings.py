"""A mapping for the rows of a source: checked with the rest of a pipeline's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from lasing import LasingError
from lasing.pipeline.config import Pipeline, read_pipeline

QUERY = "SELECT ?x FROM NAMED WINDOW <w> ON <http://ex.org/s> [RANGE PT2S STEP PT2S] WHERE { WINDOW <w> { ?x ?p ?y } }"
SOURCE = """
[sources.s]
format = "csv"
path = "in"
schema = "ts timestamp, id string, celsius double"
mapping = "city.toml"
"""


def pipeline(
    folder: Path, source: str = SOURCE, triple: str = "<http://ex.org/{id}> <http://ex.org/c> {celsius}"
) -> Pipeline:
    (folder / "q.rq").write_text(f"REGISTER RSTREAM <out> AS {QUERY}")
    (folder / "city.toml").write_text(f'time = "ts"\ntriples = ["{triple}"]\n')
    path = folder / "q.toml"
    path.write_text(f'program = "q.rq"\nmode = "batch"\n{source}[sinks.out]\nformat = "console"\n')
    return read_pipeline(path)


def test_a_mapping_names_the_time_and_the_columns(tmp_path: Path) -> None:
    (source,) = pipeline(tmp_path).sources
    assert source.mapping is not None
    assert (source.time, source.mapping.columns) == ("ts", ("id", "celsius"))


def test_columns_that_a_mapping_uses_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(
        LasingError, match=r"E612.*sources.s.mapping: there is no column celcius\n.*did you mean celsius"
    ):
        pipeline(tmp_path, triple="<http://ex.org/{id}> <http://ex.org/c> {celcius}")


def test_the_fact_of_a_mapping_has_no_columns(tmp_path: Path) -> None:
    with pytest.raises(LasingError, match=r"E612.*sources.s.fact names columns, but the source has a mapping"):
        pipeline(tmp_path, source=SOURCE + 'fact = "s(ts, id, celsius)"\n')


def test_mistakes_of_a_mapping_are_those_of_its_file(tmp_path: Path) -> None:
    with pytest.raises(LasingError, match=r"E515.*the prefix x: is unknown"):
        pipeline(tmp_path, triple="x:a <http://ex.org/c> {celsius}")
