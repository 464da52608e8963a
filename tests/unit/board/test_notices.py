"""Which events people are told of, and that the same journal gives the same messages (UI-4)."""

from __future__ import annotations

from tests.unit.board.events_builder import RUN, START, Tale, key

from weft.board.notices import Notice, Notices
from weft.model.budget import Shortage
from weft.model.events import AnyEvent, JobEnded, QuotaSeen
from weft.model.job import JobStatus
from weft.model.notice import NoticeKind


def told(events: list[AnyEvent]) -> list[Notice]:
    notices = Notices(RUN)
    return [notice for event in events for notice in notices.take(event)]


def test_parked_jobs_and_the_end() -> None:
    """One message for a job that needs a person; those parked behind it are not told of; then the end."""
    tale = Tale("#1", "#2", "#3").end("#1", JobStatus.PARKED, "asks: Which?")
    tale.end("#2", JobStatus.PARKED, "unmet dependency shop#1").end("#3", JobStatus.PARKED, "unmet dependency #77")
    found = told(tale.over())
    assert [notice.document["event"] for notice in found] == ["job_parked", "job_parked", "run_ended"]
    assert [notice.number for notice in found] == [1, 2, 3]
    assert found[1].document["job"]["key"] == "shop#3"
    assert found[2].document["counts"] == {"parked": 3}
    assert found[2].document["text"].startswith("weft r-1: failed after ")


def test_budgets_and_quotas_are_told_once() -> None:
    """Not for each job that has to wait, and each quota once until its reset changes."""
    tale = Tale("#1", "#2")
    quota = QuotaSeen(at=START, account="claude", resets_at=START + 60)
    tale.add(quota, quota, QuotaSeen(at=START, account="claude", resets_at=START + 90))
    for name in ("#1", "#2"):
        tale.add(JobEnded(at=START, job=key(name), status=JobStatus.NOT_RUN, reason="budget", short_of=Shortage.BUDGET))
    kinds = [notice.kind for notice in told(tale.over())]
    quotas, budgets = [NoticeKind.OUT_OF_QUOTA] * 2, [NoticeKind.OUT_OF_BUDGET]
    assert kinds == [*quotas, *budgets, NoticeKind.RUN_ENDED]


def test_the_same_journal_gives_the_same_messages() -> None:
    """After a crash they have the same numbers, so that what was told is known."""
    events = Tale("#1").end("#1", JobStatus.PARKED, "asks: Which?").over()
    assert told(events) == told(events)
