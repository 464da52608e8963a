"""The structured log."""

from __future__ import annotations

import json

import msgspec
import pytest
from tests.unit.board.events_builder import RUN, START, Tale, key

from weft.board.log import event_document, job_of, log_entry
from weft.model import events as e
from weft.model.events import AnyEvent
from weft.model.gauges import LimitSource, MeterReading
from weft.model.ids import AttemptId
from weft.model.job import PullRequestRef
from weft.model.outcome import PhaseStatus
from weft.model.phase import FailureClass
from weft.model.usage import Usage


def full_tale() -> list[AnyEvent]:
    tale = Tale("#1", "#2").whole("#1").failing("#2", "qa")
    tale.begin("#2", "spec").gates("#2", "spec", passed=False)
    tale.session("#2", "spec", failure=FailureClass.TRANSIENT)
    tale.finish("#2", "spec", PhaseStatus.RETRYING, "429", START)
    tale.add(
        e.CapSet(at=START, cap=2),
        e.GovernorCapSet(at=START, cap=1, why="memory"),
        e.PauseSet(at=START, paused=True),
        e.CancelRequested(at=START, job=key("#1")),
        e.RetryRequested(at=START, job=key("#1")),
        e.AnswerGiven(at=START, job=key("#1"), text="blue,\nplease"),
        e.StopRequested(at=START, signal=2),
        e.WorkspaceFailed(at=START, job=key("#1"), reason="disk full", saved=("refs/weft/saved/a",)),
        e.TimerFired(at=START),
        e.JobWaits(at=START, job=key("#1"), until=START, why="the quota of claude is used up"),
        e.QuotaSeen(at=START, account="claude", resets_at=START, why="weekly limit"),
        e.LockTaken(at=START, job=key("#1")),
        e.LockRefused(at=START, job=key("#1"), holder="PID 7 (weft run 1)", message="…"),
        e.UsageRead(at=START, meters=(MeterReading("5h", 66.0),)),
        e.MachineRead(at=START, free_memory=10**9),
        e.LimitSet(at=START, source=LimitSource.USAGE, cap=1, why="usage 5h 66 %"),
        e.UsageSeen(at=START, attempt=AttemptId(RUN, key("#1"), "exec", 1), usage=Usage(input_tokens=5)),
        *merge_tale(),
        *publish_tale(),
    )
    return tale.resume().over(2)


def merge_tale() -> list[AnyEvent]:
    """One of each kind that the merge queue writes."""
    attempt = AttemptId(RUN, key("#1"), "merge", 1)
    return [
        e.QueueHoldSet(at=START, repo="shop", held=True),
        e.QueueRemoveRequested(at=START, job=key("#1")),
        e.JobQueued(at=START, job=key("#1"), target="weft/m1", ahead=1),
        e.TargetRead(at=START, repo="shop", tip="a" * 40),
        e.MergeMade(at=START, attempt=attempt, onto="a" * 40, commit="b" * 40),
        e.MergeGated(at=START, attempt=attempt, commit="b" * 40),
        e.TargetGated(at=START, attempt=attempt, commit="b" * 40),
        e.LandingEnded(at=START, attempt=attempt, commit="b" * 40, landed=True),
        e.MergeFailed(at=START, job=key("#1"), reason="conflict", repair=1),
        e.TargetRed(at=START, repo="shop", target="weft/m1", commit="a" * 40, reason="gate test failed"),
    ]


def publish_tale() -> list[AnyEvent]:
    """One of each kind that pull requests write."""
    return [
        e.JobPublishing(at=START, job=key("#1"), base="main"),
        e.PublishEnded(at=START, attempt=AttemptId(RUN, key("#1"), "publish", 1), pull_request=PullRequestRef(7)),
        e.HandoffEnded(at=START, repo="shop", number=1, problem="GitHub said no"),
        e.TrackerWaits(at=START, repo="shop", why="GitHub's rate limit is used up"),
    ]


def test_every_kind_of_event_has_its_own_words() -> None:
    """RUN-17: no event is logged by the name of its class, and each can be printed as JSON."""
    seen = {type(event) for event in full_tale()}
    assert seen == set(AnyEvent.__args__)
    for event in full_tale():
        assert log_entry(event).text
        assert log_entry(event).text != type(event).__name__
        json.dumps(event_document(RUN, event))


@pytest.mark.parametrize("name", ["#1", "#2"])
def test_entries_are_filed_under_their_own_job(name: str) -> None:
    """RUN-17: entries of one job are never filed under another."""
    for event in full_tale():
        mentions = str(msgspec.to_builtins(event).get("job", "")) + str(getattr(event, "attempt", ""))
        assert (job_of(event) == key(name)) == (f"'{name[1:]}'" in mentions or f"shop{name}/" in mentions)


def test_a_document_starts_with_what_every_event_has() -> None:
    """RUN-13: `--json-stream` prints run, type, at and job first; keys of jobs are texts."""
    tale = Tale("#1").admit("#1").begin("#1", "spec")
    assert event_document(RUN, tale.events[-1], 7) == {
        "run": "r-1",
        "seq": 7,
        "type": "attempt_started",
        "at": "2026-02-02T02:40:00.000Z",
        "job": "shop#1",
        "phase": "spec",
        "attempt": 1,
        "agent": "claude",
        "model": "opus",
    }
    started = event_document(RUN, tale.events[0])
    assert started["jobs"] == [{"key": "shop#1", "title": "Title 1"}]


def test_words_of_a_job() -> None:
    """RUN-17: what failed and why stands in the entry."""
    texts = [log_entry(event).text for event in full_tale() if job_of(event) == key("#2")]
    assert "ended: failed: Phase qa failed: it broke" in texts
    assert "spec attempt 2: gates: test failed with exit status 1 (12s)" in texts
    assert "spec attempt 2: session failed (transient): it broke" in texts
    assert "workspace kept at /ws/2" in texts
