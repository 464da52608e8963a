"""The table of states."""

from __future__ import annotations

import pytest
from tests.unit.scheduler.drive import Drive, job, key, plan

from weft.errors import DefectError
from weft.scheduler.states import ALLOWED, HOLDS_LANE, HOLDS_SLOT, JobState


def test_every_state_says_where_it_leads() -> None:
    """And every state but the first can be reached."""
    assert set(ALLOWED) == set(JobState)
    assert set().union(*ALLOWED.values()) == set(JobState)


def test_who_holds_a_slot_holds_a_lane() -> None:
    """A slot is only ever taken by a job that is in its lane."""
    assert HOLDS_SLOT < HOLDS_LANE


def test_an_illegal_move_tells_the_jobs_story() -> None:
    """A defect that can be understood from its message."""
    drive = Drive(plan(job("1")))
    drive.ready("1")
    with pytest.raises(DefectError, match=r"shop#1 SESSION at work attempt 1 .* → READY"):
        drive.state.jobs[key("1")].move(JobState.READY)
