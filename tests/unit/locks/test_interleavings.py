"""Whatever the order in which processes get to their system calls, one lock has one holder."""

from __future__ import annotations

import tempfile
from contextlib import nullcontext
from enum import Enum
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.locks.turns import Actor, stepping

from weft.locks import acquire as acquire_module
from weft.locks import forks
from weft.locks.acquire import acquire
from weft.locks.clearing import clear
from weft.locks.folder import LockFolder
from weft.locks.held import HeldLock
from weft.locks.holder import Claim
from weft.locks.looking import check

NAME = "604"


class Deed(Enum):
    WORK = "take it, give it back"
    CRASH = "take it, die with it"
    FORCE = "take it over, give it back"
    CLEAR = "clear it if it is stale"


class Place:
    """The folder, and who believes to hold the lock."""

    def __init__(self, path: str) -> None:
        self.folder = LockFolder(path)
        self.holding: list[HeldLock] = []

    def do(self, deed: Deed) -> None:
        if deed is Deed.CLEAR:
            clear(self.folder, NAME)
            return
        lock = acquire(self.folder, NAME, Claim(deed.value), force=deed is Deed.FORCE)
        if isinstance(lock, HeldLock):
            self.holding.append(lock)
            lock.still_mine()  # a system call or two, so that others get between
            self.holding.remove(lock)
            lock.leave() if deed is Deed.CRASH else lock.release()

    def leave_stale(self) -> None:
        lock = acquire(self.folder, NAME, Claim("one who died before"))
        assert isinstance(lock, HeldLock)
        lock.leave()


def run(deeds: list[Deed], turns: list[int], kill_at: int | None, *, stale: bool, rivals: bool) -> None:
    with tempfile.TemporaryDirectory() as path:
        place = Place(path)
        if stale:
            place.leave_stale()
        actors = [Actor(lambda deed=deed: place.do(deed)) for deed in deeds]  # type: ignore[misc]
        with stepping(actors):
            for moment, turn in enumerate(turns):
                waiting = [actor for actor in actors if not actor.done]
                if not waiting:
                    break
                chosen = waiting[turn % len(waiting)]
                chosen.kill() if moment == kill_at else chosen.step()
                place.holding = [lock for lock in place.holding if moment != kill_at or lock.still_mine()]
                assert_one_holder(place, rivals=rivals)
        assert [actor.error for actor in actors if actor.error] == []
        assert_not_wedged(place)
    for actor in actors:
        forks.forget(actor.closed)  # else a fork in a later test would close others' files


def assert_one_holder(place: Place, *, rivals: bool) -> None:
    """With force among them, a former holder may not know it yet; but only one of them is told that it holds it."""
    believers = [lock for lock in place.holding if lock.still_mine()] if rivals else place.holding
    assert len(believers) <= 1, [lock.holder for lock in believers]


def assert_not_wedged(place: Place) -> None:
    """All are gone: the next one has it at once."""
    assert not check(place.folder, NAME).held
    with_it = acquire(place.folder, NAME, Claim("the next"))
    assert isinstance(with_it, HeldLock)
    with_it.release()


TURNS = st.lists(st.integers(0, 5), min_size=60, max_size=200)


@settings(deadline=None, max_examples=60)
@given(
    deeds=st.lists(st.sampled_from([Deed.WORK, Deed.CRASH, Deed.CLEAR]), min_size=2, max_size=3),
    turns=TURNS,
    stale=st.booleans(),
)
def test_one_holder_in_any_order(deeds: list[Deed], turns: list[int], stale: bool) -> None:
    """Of those that find a lock free or stale exactly one has it, until it gives it back or dies (LOCK-5)."""
    run(deeds, turns, None, stale=stale, rivals=False)


@settings(deadline=None, max_examples=60)
@given(
    deeds=st.lists(st.sampled_from([Deed.WORK, Deed.CRASH, Deed.FORCE]), min_size=2, max_size=3),
    turns=TURNS,
    stale=st.booleans(),
)
def test_one_holder_is_told_that_it_is_in_any_order(deeds: list[Deed], turns: list[int], stale: bool) -> None:
    """Who takes over by force and who loses by it never both find the lock to be theirs (LOCK-7)."""
    run(deeds, turns, None, stale=stale, rivals=True)


@settings(deadline=None, max_examples=60)
@given(
    deeds=st.lists(st.sampled_from([Deed.WORK, Deed.CRASH, Deed.FORCE, Deed.CLEAR]), min_size=2, max_size=3),
    turns=TURNS,
    kill_at=st.integers(0, 40),
    stale=st.booleans(),
)
def test_a_kill_at_any_system_call_wedges_nobody(
    deeds: list[Deed], turns: list[int], kill_at: int, stale: bool
) -> None:
    """One that dies in the midst of taking, giving back or clearing leaves nothing that blocks the next (LOCK-6)."""
    run(deeds, turns, kill_at, stale=stale, rivals=True)


def test_the_guard_is_what_keeps_them_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the guard two find the same stale lock and both take it: the tests above could not pass by chance."""
    monkeypatch.setattr(acquire_module, "guarded", lambda folder: nullcontext())
    with pytest.raises(AssertionError):
        try_orders()


def try_orders() -> None:
    """One gets so far, then the other, then the first goes on."""
    for first, second in product(range(8, 30), range(8, 30)):
        run([Deed.WORK, Deed.WORK], [0] * first + [1] * second + [0] * 20, None, stale=True, rivals=False)
