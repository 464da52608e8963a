"""Stored events: versions, upgrades, what is not understood."""

from __future__ import annotations

from typing import Any

import pytest

from weft.errors import StoreError
from weft.model.events import AttemptStarted, CapSet, JobEnded, RunStarted, TimerFired
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import JobStatus
from weft.model.plan import Mode, Plan
from weft.stores.codec import UPGRADES, VERSIONS, Codec, Stored, job_of

KEY = JobKey("shop", "101")


def test_every_type_that_moved_on_can_be_upgraded_from_its_first_version() -> None:
    """No version of an event that was ever written becomes unreadable."""
    missing = [
        (tag, version)
        for tag, current in VERSIONS.items()
        for version in range(1, current)
        if (tag, version) not in UPGRADES
    ]
    assert missing == []


def test_round_trip() -> None:
    """What is decoded equals what was encoded, whatever characters it holds."""
    event = JobEnded(at=1.5, job=KEY, status=JobStatus.FAILED, reason='"\0\u2028𝔘\n')
    codec = Codec()
    assert codec.decode(codec.encode(event)) == event


def test_text_that_is_not_unicode() -> None:
    """Bytes that slipped into a text are refused before anything is written, with the type and the text."""
    with pytest.raises(StoreError, match=r"job_ended.*udcff"):
        Codec().encode(JobEnded(at=1.5, job=KEY, status=JobStatus.FAILED, reason="\udcff"))


def test_older_version_is_brought_up_to_date_step_by_step() -> None:
    """An event of two versions ago reads as one of today."""

    def rename(raw: dict[str, Any]) -> dict[str, Any]:
        return {"type": raw["type"], "at": raw["at"], "limit": raw["slots"]}

    def widen(raw: dict[str, Any]) -> dict[str, Any]:
        return {"type": raw["type"], "at": raw["at"], "cap": raw["limit"] * 2}

    codec = Codec({**VERSIONS, "cap_set": 3}, {("cap_set", 1): rename, ("cap_set", 2): widen})
    assert codec.decode(Stored("cap_set", 1, '{"type":"cap_set","at":1.0,"slots":2}')) == CapSet(at=1.0, cap=4)
    assert codec.decode(Stored("cap_set", 2, '{"type":"cap_set","at":1.0,"limit":2}')) == CapSet(at=1.0, cap=4)
    assert codec.decode(codec.encode(CapSet(at=1.0, cap=2))) == CapSet(at=1.0, cap=2)


@pytest.mark.parametrize("stored", [Stored("teleported", 1, "{}"), Stored("cap_set", 99, "{}")])
def test_what_a_newer_weft_wrote_is_refused(stored: Stored) -> None:
    """Unknown is never taken for nothing: the message names the type and says what to do."""
    with pytest.raises(StoreError, match=stored.type) as caught:
        Codec().decode(stored)
    assert caught.value.hint == "upgrade Weft"


def test_new_field_of_the_same_version_has_its_default() -> None:
    """A field that came later with a default does not make older events unreadable."""
    stored = Stored("run_started", 1, '{"type":"run_started","at":0.0,"plan":{"mode":"single","jobs":[],"cap":1}}')
    assert Codec().decode(stored) == RunStarted(at=0.0, plan=Plan(mode=Mode.SINGLE, jobs=(), cap=1))


def test_job_of_an_event() -> None:
    """An event is filed under the job it names, by itself or through its attempt (RUN-17)."""
    assert job_of(JobEnded(at=0.0, job=KEY, status=JobStatus.PASSED)) == KEY
    assert job_of(AttemptStarted(at=0.0, attempt=AttemptId(RunId("r-1"), KEY, "spec", 1))) == KEY
    assert job_of(TimerFired(at=0.0)) is None
