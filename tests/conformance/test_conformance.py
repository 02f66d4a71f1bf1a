"""Every case on every engine."""

from __future__ import annotations

import warnings

import pytest

import lasing
from lasing.engine_choice import ENGINES
from tests.conformance.cases import Case, all_cases

CASES = all_cases()


@pytest.mark.parametrize("engine", [*ENGINES, "auto"])
@pytest.mark.parametrize("case", CASES, ids=[f"{c.file}: {c.title}" for c in CASES])
def test_case(case: Case, engine: str) -> None:
    if engine in case.unsupported:
        with pytest.raises(lasing.LasingError, match=case.unsupported[engine]):
            list(lasing.run(case.program, case.stream, case.start, case.end, engine))  # type: ignore[arg-type]
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)  # cases about dropped heads and failed instances warn
        answers = list(lasing.run(case.program, case.stream, case.start, case.end, engine))  # type: ignore[arg-type]
    got = {answer.time: sorted(sorted(map(str, model)) for model in answer.models) for answer in answers}
    assert got == case.answers


def test_titles_are_unique() -> None:
    titles = [case.title for case in CASES]
    assert len(set(titles)) == len(titles) > 40
