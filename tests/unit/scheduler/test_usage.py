"""The usage steps: what each leaves of a cap, and that they do not flap."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.scheduler.drive import Drive, job, key, plan

from weft.model.commands import WriteNote
from weft.model.events import CapSet, GovernorCapSet, LimitSet, PauseSet, RunResumed, UsageRead
from weft.model.gauges import LimitSource, MeterReading
from weft.model.governing import UsagePlan
from weft.scheduler.readings import matters
from weft.scheduler.usage import cap_at, step_at
from weft.scheduler.why import why

STEPS = (65.0, 75.0, 80.0)
LEFT = {
    1: (1, 1, 0),
    2: (2, 1, 0),
    3: (2, 1, 0),
    4: (3, 2, 0),
    5: (4, 2, 0),
    6: (4, 2, 0),
    7: (5, 3, 0),
    8: (6, 3, 0),
    9: (6, 3, 0),
    10: (7, 4, 0),
}
"""What the three steps leave of each cap."""


def usage(*percents: float, unknown: str | None = None) -> UsageRead:
    meters = tuple(MeterReading(f"m{number}", percent) for number, percent in enumerate(percents))
    return UsageRead(at=100.0, meters=meters, unknown=unknown)


def many(count: int, cap: int) -> Drive:
    return Drive(plan(*(job(str(number)) for number in range(count)), cap=cap, width=99, usage=UsagePlan()))


@pytest.mark.parametrize("cap", LEFT)
def test_what_each_step_leaves_of_a_cap(cap: int) -> None:
    """WAVE-5: ⌈2c/3⌉, ⌈c/3⌉, pause; under the first the whole cap."""
    assert cap_at(0, cap) is None
    assert tuple(cap_at(step, cap) for step in (1, 2, 3)) == LEFT[cap]


@pytest.mark.parametrize("cap", LEFT)
def test_down_and_up_again(cap: int) -> None:
    """WAVE-5: 65, 75 and 80 step down at once; up again only five points lower, one step after the other."""
    drive = many(1, cap)
    two_thirds, third, _ = LEFT[cap]
    story = [
        (64.9, cap),
        (65, two_thirds),
        (74.9, two_thirds),
        (75, third),
        (79.9, third),
        (80, 0),
        (100, 0),
        (75.1, 0),
        (75, third),
        (70.1, third),
        (70, two_thirds),
        (60.1, two_thirds),
        (60, cap),
        (64.9, cap),
    ]
    for percent, allowed in story:
        drive.do(usage(percent))
        assert drive.state.effective_cap == allowed, percent


def test_it_may_fall_and_rise_by_several_steps_at_once() -> None:
    """WAVE-5: a meter that was reset frees the whole cap."""
    drive = many(1, 3)
    drive.do(usage(97))
    assert drive.state.effective_cap == 0
    drive.do(usage(2))
    assert drive.state.effective_cap == 3


def test_the_highest_meter_governs() -> None:
    """WAVE-5: of several meters the fullest counts, and is named."""
    drive = many(9, 3)
    drive.do(usage(10, 76.5, 66))
    assert drive.state.effective_cap == 1
    assert "usage m1 76.5 %, step at 75 % until 70 %" in why(drive.state, key("8"))


@given(st.lists(st.floats(0, 120), max_size=60), st.sampled_from(STEPS))
def test_within_the_margin_nothing_flaps(percents: list[float], threshold: float) -> None:
    """WAVE-5: once a step is taken, no reading inside its margin undoes it; nor does one below take it."""
    below_it = STEPS.index(threshold)
    step = 0
    for percent in percents:
        before, step = step, step_at(percent, step, STEPS, 5.0)
        if threshold - 5 < percent < threshold:
            assert (step > below_it) == (before > below_it)
        if percent >= threshold:
            assert step > below_it
        if percent <= threshold - 5:
            assert step <= below_it


@given(st.lists(st.floats(60.1, 64.9), min_size=1))
def test_readings_within_one_margin_change_the_step_at_most_once(percents: list[float]) -> None:
    """WAVE-5: a meter that wavers by less than the margin moves the cap once, not back and forth."""
    for start in range(4):
        steps = [start]
        for percent in percents:
            steps.append(step_at(percent, steps[-1], STEPS, 5.0))
        assert len({*steps[1:]}) == 1


def test_stepping_down_stops_no_session_and_admits_fewer() -> None:
    """WAVE-4: three run; at 75 % only one more starts, when all three have ended."""
    drive = many(5, 3)
    drive.do(usage(75))
    assert drive.state.in_flight == 3
    for name, then in (("0", 2), ("1", 1), ("2", 1), ("3", 1), ("4", 0)):
        drive.run(name)
        assert drive.state.in_flight == then


def test_unknown_holds_the_cap_where_it_is() -> None:
    """WAVE-5: whatever step it is on; the user is told."""
    for percent, allowed in ((10, 3), (66, 2), (76, 1), (90, 0)):
        drive = many(5, 3)
        drive.do(usage(percent))
        drive.do(usage(unknown="`usage.json` cannot be read"))
        assert drive.state.effective_cap == allowed
        limit = drive.state.limits[LimitSource.USAGE]
        assert limit.why == "usage unknown: `usage.json` cannot be read; the cap holds where it is"
        drive.do(usage(percent))
        assert drive.state.effective_cap == allowed


def test_unknown_from_the_start_is_the_full_cap() -> None:
    """WAVE-5: nobody knows, so nothing is taken away."""
    drive = many(5, 3)
    drive.do(usage(unknown="no such file"))
    assert drive.state.effective_cap == 3


def test_a_new_cap_is_stepped_down_too() -> None:
    """WAVE-4: the step is a share of the cap that the user asks for, whenever that is."""
    drive = many(1, 3)
    drive.do(usage(75))
    drive.do(CapSet(at=100.0, cap=9))
    assert drive.state.effective_cap == 3
    drive.do(usage(unknown="gone"))
    drive.do(CapSet(at=100.0, cap=6))
    assert drive.state.effective_cap == 2


def test_resuming_lifts_the_users_pause_alone() -> None:
    """WAVE-4: what usage has stopped, `resume` does not start."""
    drive = many(2, 1)
    drive.do(usage(80))
    drive.do(PauseSet(at=100.0, paused=True))
    drive.do(PauseSet(at=100.0, paused=False))
    assert drive.state.effective_cap == 0


def test_of_several_limits_the_smallest_holds_and_is_named() -> None:
    """WAVE-4: limits of different sources do not disturb each other."""
    drive = many(9, 3)
    drive.do(usage(66))
    drive.do(GovernorCapSet(at=100.0, cap=1, why="asked by another"))
    assert (drive.state.effective_cap, drive.state.governor_why) == (1, "asked by another")
    drive.do(GovernorCapSet(at=100.0, cap=None))
    assert drive.state.effective_cap == 2
    assert drive.state.governor_why.startswith("usage m0 66 %")


def test_every_change_is_noted_for_those_who_show_it() -> None:
    """WAVE-5: and none where nothing changes."""
    drive = many(1, 3)
    for percent in (10, 20, 66, 66, 20):
        drive.do(usage(percent))
    notes = [command.note for command in drive.commands if isinstance(command, WriteNote)]
    assert [note.cap for note in notes if isinstance(note, LimitSet)] == [2, None]


def test_what_is_worth_an_entry_in_the_journal() -> None:
    """A meter that is read every minute for a night does not fill the journal."""
    drive = many(1, 3)
    assert matters(drive.state, usage(10))
    drive.do(usage(10))
    assert not matters(drive.state, usage(10.9))
    assert matters(drive.state, usage(11))
    drive.do(usage(64.8))
    assert matters(drive.state, usage(65))
    assert matters(drive.state, usage(unknown="gone"))
    drive.do(usage(unknown="gone"))
    assert not matters(drive.state, usage(unknown="gone in another way"))
    assert matters(drive.state, usage(64.8))


def test_a_reading_before_the_first_job_counts_from_the_start() -> None:
    """WAVE-5: a run that is resumed at 90 % starts nothing."""
    drive = many(3, 1)
    drive.do(RunResumed(at=100.0, readings=(usage(90),)))
    drive.run("0")
    assert drive.state.in_flight == 0
