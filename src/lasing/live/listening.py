"""Callbacks: `Engine.on("alarm/1", f)` calls f with the changes of a predicate, whatever made them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from lasing.errors import fault, similar
from lasing.live.running import Running
from lasing.live.updates import Update
from lasing.logic.answers import Changes
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom

OnChanges = Callable[[Changes], object]

_SIGNATURE = re.compile(r"([^/]+)(?:/([0-9]+))?")


class Subscription:
    """What `Engine.on` returns: `cancel()` ends it, and so does leaving a `with` statement."""

    def __init__(self, predicate: str, on_changes: OnChanges, on_correction: OnChanges | None) -> None:
        self.predicate = predicate
        self.active = True
        """Whether its function is still called."""
        self._on_changes = on_changes
        self._on_correction = on_correction

    def cancel(self) -> None:
        """Call the function no more, not even for changes of the update that is being reported."""
        self.active = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()

    def tell(self, changes: Changes, is_correction: bool) -> None:
        """Report what concerns the predicate, if anything does."""
        call = self._on_correction if is_correction else self._on_changes
        if not self.active or call is None:
            return
        added, removed = self._mine(changes.added), self._mine(changes.removed)
        if added or removed:
            call(replace(changes, added=added, removed=removed))

    def _mine(self, atoms: Iterable[Atom]) -> frozenset[Atom]:
        return frozenset(atom for atom in atoms if atom.predicate == self.predicate)


class Listening(Running):
    """An engine with subscribers."""

    _subscriptions: tuple[Subscription, ...] = ()
    _is_telling = False

    def on(self, predicate: str, on_changes: OnChanges, *, on_correction: OnChanges | None = None) -> Subscription:
        """Call a function with the changes of an output predicate, such as "alarm/1" or "alarm".

        It is called before `push`, `advance_to`, `flush`, `follow_clock` or `push_batch` returns, once for each time
        point at which atoms of the predicate come or go, in order of time; for the same time point, in the order of
        subscription. It gets `Changes` with `time`, `added` and `removed`, and nothing about other predicates.
        `on_correction` gets what is different at earlier time points, if answers are corrected, before that.

        A function may ask the engine for answers, subscribe and unsubscribe. It cannot push facts or let time pass
        (E325): the update that it hears of must be complete first. If it raises an exception, the others are still
        called, and then the exception comes out of `push`; several of them come as an `ExceptionGroup`. The engine is
        not harmed, and the next push reports the changes after that.
        """
        found = Subscription(self._output(predicate), on_changes, on_correction)
        for function in (on_changes, on_correction):
            if function is not None and not callable(function):
                raise fault("E324", f"{function!r} cannot be called", note='such as: engine.on("alarm/1", print)')
        self._subscriptions = (*(s for s in self._subscriptions if s.active), found)
        return found

    def _output(self, written: str) -> str:
        """The output that the user means."""
        found = _SIGNATURE.fullmatch(str(written))
        known = sorted(self.program.output())
        if found is None or found[1] not in known:
            note = similar(str(written), known) or f"outputs are {', '.join(known) or 'none'}"
            raise fault("E324", f"{written!r} is not an output of the program", note=note)
        arity = facts_of(self.program).arity.get(found[1])
        if found[2] is not None and arity is not None and int(found[2]) != arity:
            raise fault("E324", f"{written!r} is not an output of the program", note=f"there is {found[1]}/{arity}")
        return found[1]

    def _check_ready(self) -> None:
        """Fail if the engine was stopped half way, or is reporting an update."""
        self._check_whole()
        if self._is_telling:
            note = "collect what to push, and push it after the update is complete"
            raise fault("E325", "a function that hears of changes cannot make more of them", note=note)

    def _heard(self, update: Update) -> Update:
        """The update, after the subscribers have heard of it."""
        if self._subscriptions:
            self._tell(update.corrections, list(update.steps()))
        return update

    def _tell(self, corrections: Sequence[Changes], steps: Sequence[Changes]) -> None:
        tick, failures = self.program.shown_tick(), list[Exception]()
        self._is_telling = True
        try:
            for is_correction, all_changes in ((True, corrections), (False, steps)):
                for changes in all_changes:
                    for subscription in self._subscriptions:
                        try:
                            subscription.tell(replace(changes, tick=tick), is_correction)
                        except Exception as failure:  # the others are called first
                            failures.append(failure)
        finally:
            self._is_telling = False
        if len(failures) == 1:
            raise failures[0]
        if failures:
            raise ExceptionGroup("several functions that hear of changes failed", failures)
