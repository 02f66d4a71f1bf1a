"""Searches by clingo that can be interrupted.

While clingo searches, Python handles no signals and nothing checks the clock. A search in its own thread avoids this,
but doubles the time of a small search. So a search starts without a thread and stops after some conflicts; only if that
was not enough, it starts again in a thread.
"""

from __future__ import annotations

from collections.abc import Iterator

import clingo

from lasing.limits import Watch

FEW_CONFLICTS = 200
FEW_RULES = 2000
"""In programs with more rules, even the first conflict may take long."""
_WAIT = 0.05  # seconds


def search(control: clingo.Control, rules: int, most: int, now: int, watch: Watch | None) -> Iterator[clingo.Model]:
    """The models of a program with this number of rules, at most `most` of them unless 0; some may come twice."""
    settings = control.configuration.solve
    assert isinstance(settings, clingo.Configuration)
    if rules <= FEW_RULES:
        settings.solve_limit = str(FEW_CONFLICTS)
        with control.solve(yield_=True) as found:
            number = 0
            for model in found:
                number += model.optimality_proven or not model.cost
                yield model
            if found.get().exhausted or number == most > 0:
                return
        settings.solve_limit = "umax"
    if watch is not None:
        watch.running = lambda: None
    with control.solve(yield_=True, async_=True) as found:
        while True:
            found.resume()
            while not found.wait(_WAIT):
                if watch is not None:
                    watch.look(now, f"clingo was searching for answers of {rules:,} ground rules")
            following = found.model()
            if following is None:
                return
            yield following
