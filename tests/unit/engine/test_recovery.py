"""A run that died after any of its events goes on to the same end (RECOVER-1, RECOVER-3, RECOVER-5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgspec
import pytest
from tests.unit.engine.fakes import (
    NOT_APPROVED,
    RED,
    RUN,
    TRANSIENT,
    WORK,
    Script,
    World,
    drawn,
    job,
    notes,
    plan,
)
from tests.virtual_time import run_in_virtual_time

from weft.engine.recovery import reconstruct
from weft.errors import UsageError
from weft.model.commands import RunSession
from weft.model.events import AnyEvent, JobEnded, PhaseEnded, RunEnded, RunResumed, SessionEnded
from weft.model.ids import AttemptId
from weft.model.outcome import PhaseStatus

SEVERAL = plan(job("1"), job("2", "1"), job("3"), job("4", "3"), job("5", pipeline="short"), cap=3, sessions=1)
SCRIPT: Script = {
    ("1", "spec"): [TRANSIENT],
    ("1", "qa"): [RED, NOT_APPROVED],
    ("3", "exec"): [WORK],
}
"""A retry, two turns of the quality loop, a failure with a job behind it; one session at a time."""


async def whole() -> World:
    world = World(script=SCRIPT)
    async with world.engine() as engine:
        await (await engine.start(RUN, SEVERAL)).finished()
    return world


async def resumed(past: list[AnyEvent], ended_by_itself: Callable[[AttemptId], bool]) -> World:
    world = World(script=SCRIPT)
    await world.journal.append(RUN, past)
    async with world.engine() as engine:
        await (await engine.resume(RUN, past, ended_by_itself)).finished()
    return world


def ends(events: list[AnyEvent]) -> dict[str, tuple[object, ...]]:
    return {e.job.id: (e.status, e.reason, e.detail, e.commit) for e in events if isinstance(e, JobEnded)}


def phases(events: list[AnyEvent]) -> dict[str, list[tuple[object, ...]]]:
    """Each job's phases as they ended, but for those that were lost with the process."""
    found: dict[str, list[tuple[object, ...]]] = {}
    for event in events:
        if isinstance(event, PhaseEnded) and event.status is not PhaseStatus.LOST:
            story = (event.attempt.phase, event.status, event.reason)
            found.setdefault(event.attempt.job.id, []).append(story)
    return found


def sessions(events: list[AnyEvent]) -> Counter[tuple[str, str]]:
    return Counter((e.attempt.job.id, e.attempt.phase) for e in events if isinstance(e, SessionEnded))


@pytest.mark.parametrize("had_ended", [False, True], ids=["sessions died too", "sessions had ended"])
def test_after_a_crash_at_every_event_the_end_is_the_same(had_ended: bool) -> None:
    """RECOVER-5: cut the journal after each event, go on, compare with the run that was left alone."""
    undisturbed = run_in_virtual_time(whole()).events
    for cut in range(1, len(undisturbed) + 1):
        past = undisturbed[:cut]
        world = run_in_virtual_time(resumed(past, lambda attempt: had_ended))
        _compare(world, undisturbed, past)


def _compare(world: World, undisturbed: list[AnyEvent], past: list[AnyEvent]) -> None:
    events = world.events
    assert ends(events) == ends(undisturbed), f"cut after {len(past)}"
    assert phases(events) == phases(undisturbed), f"cut after {len(past)}"
    assert sessions(events) == sessions(undisturbed), f"cut after {len(past)}: paid for twice"
    assert notes(events) == drawn(events), f"cut after {len(past)}: a conclusion is missing or written twice"
    assert [isinstance(event, RunEnded) for event in events].count(True) == 1
    done = {event.attempt for event in past if isinstance(event, SessionEnded)}
    assert not [c for c in world.performed if isinstance(c, RunSession) and c.attempt in done]
    assert [event.at for event in events] == sorted(event.at for event in events)


def test_a_run_may_die_again_and_again() -> None:
    """Three crashes in one run, each after five more events than the last."""
    undisturbed = run_in_virtual_time(whole()).events
    past = undisturbed[:12]
    for _ in range(3):
        world = run_in_virtual_time(resumed(past, lambda attempt: False))
        past = world.events[: len(past) + 6]
    world = run_in_virtual_time(resumed(past, lambda attempt: True))
    assert sum(isinstance(event, RunResumed) for event in world.events) >= 3
    assert ends(world.events) == ends(undisturbed)
    assert sessions(world.events) == sessions(undisturbed)


async def test_a_resumed_run_never_goes_back_in_time() -> None:
    """RECOVER-6: the wall clock was set back between the two processes; the run's clock was not."""
    past = (await whole()).events[:20]
    later = past[-1].at + 5000
    last = msgspec.structs.replace(past[-1], at=later)
    world = await resumed([*past[:-1], last], lambda attempt: False)
    assert all(event.at >= later for event in world.events[20:])


async def test_only_the_last_notes_were_missing() -> None:
    """Then they are written and nothing else happens: no second `resumed`, no work."""
    undisturbed = (await whole()).events
    world = await resumed(undisturbed[:-1], lambda attempt: False)
    assert world.events == undisturbed
    assert world.performed == []


def test_an_unknown_run_is_named() -> None:
    """Nothing in the journal, nothing to go on with."""
    with pytest.raises(UsageError, match="Unknown run `r-1`"):
        reconstruct(RUN, [])
