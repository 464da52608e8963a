"""What every journal promises, held against each implementation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from weft.model.answer import Answer
from weft.model.events import (
    AnswerGiven,
    AnyEvent,
    AttemptStarted,
    CapSet,
    JobAdmitted,
    JobEnded,
    PhaseEnded,
    RetryRequested,
    RunEnded,
    RunResumed,
    RunStarted,
    TimerFired,
)
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import JobStatus
from weft.model.outcome import PhaseStatus
from weft.model.plan import Mode, Plan, Repo
from weft.ports import ControlRequest, Entry, Journal, RequestKind, RunRecord
from weft.stores.memory import MemoryJournal
from weft.stores.sqlite import SqliteJournal

AnyJournal: TypeAlias = MemoryJournal | SqliteJournal
RUN, OTHER = RunId("r-1"), RunId("r-2")
KEY = JobKey("shop", "101")


@pytest.fixture(params=["memory", "sqlite"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AnyJournal]:
    made: dict[str, Callable[[], AnyJournal]] = {
        "memory": MemoryJournal,
        "sqlite": lambda: SqliteJournal(tmp_path / "state" / "weft.db"),
    }
    with made[request.param]() as journal:
        yield journal


def started(at: float = 1.0, *repos: Repo) -> RunStarted:
    return RunStarted(at=at, plan=Plan(mode=Mode.PARALLEL, jobs=(), cap=3, repos=repos, command="weft run 101"))


def caps(count: int, first: int = 1) -> list[AnyEvent]:
    return [CapSet(at=float(cap), cap=cap) for cap in range(first, first + count)]


def ended(status: JobStatus, at: float = 5.0, key: JobKey = KEY) -> JobEnded:
    return JobEnded(at=at, job=key, status=status, branch="weft/101-add-login")


def phase(run: RunId, name: str, number: int, status: PhaseStatus, key: JobKey = KEY) -> PhaseEnded:
    return PhaseEnded(at=4.0, attempt=AttemptId(run, key, name, number), status=status)


async def test_fits_the_port(journal: AnyJournal) -> None:
    """Every implementation is a Journal as the engine knows it."""
    port: Journal = journal
    assert port.runs() == []


async def test_keeps_order_and_numbers_rise(journal: AnyJournal) -> None:
    """Events of a run come back as they were, in the order they were given, with rising numbers (RECOVER-1)."""
    events = [started(), *caps(5), JobAdmitted(at=2.0, job=KEY)]
    last = [await journal.append(RUN, [event]) for event in events]
    entries = list(journal.read(RUN))
    assert [entry.event for entry in entries] == events
    assert [entry.seq for entry in entries] == last == sorted(set(last))


async def test_group_is_one_row_of_numbers(journal: AnyJournal) -> None:
    """A group is written in order without anything in between; the answer is its last event's number."""
    answers = await asyncio.gather(*(journal.append(RUN, caps(7, first=10 * group + 1)) for group in range(20)))
    entries = {entry.seq: entry.event for entry in journal.read(RUN)}
    for group, last in enumerate(answers):
        assert [entries[seq] for seq in range(last - 6, last + 1)] == caps(7, first=10 * group + 1)


async def test_concurrent_appends_keep_the_order_of_the_calls(journal: AnyJournal) -> None:
    """Appends that wait at the same time are written in the order in which they were called."""
    await asyncio.gather(*(journal.append(RUN, [event]) for event in caps(200)))
    assert [entry.event for entry in journal.read(RUN)] == caps(200)


async def test_empty_group_changes_nothing(journal: AnyJournal) -> None:
    """Nothing to write is not an error, and writes nothing."""
    await journal.append(RUN, [])
    assert list(journal.read(RUN)) == []
    assert journal.count() == 0


async def test_reads_after_a_number(journal: AnyJournal) -> None:
    """Reading goes on where one left off, and of this run only."""
    await journal.append(RUN, caps(3))
    seq = await journal.append(OTHER, caps(1))
    await journal.append(RUN, caps(2, first=4))
    assert [entry.event for entry in journal.read(RUN, seq)] == caps(2, first=4)
    assert [entry.event for entry in journal.read(OTHER)] == caps(1)
    assert list(journal.read(RunId("r-unknown"))) == []


async def test_reads_more_than_one_chunk(journal: AnyJournal) -> None:
    """A long run is read whole, each event once."""
    await journal.append(RUN, caps(1000))
    assert [entry.event for entry in journal.read(RUN)] == caps(1000)


async def test_lists_runs_oldest_first(journal: AnyJournal) -> None:
    """Runs are listed in the order they began, whatever the clock said, with what they were asked."""
    await journal.append(RUN, [started(50.0, Repo("shop", "/code/shop"), Repo("api", "/code/api"))])
    await journal.append(OTHER, [started(20.0)])
    assert journal.runs() == [
        RunRecord(RUN, 50.0, None, ("/code/shop", "/code/api"), "weft run 101", "parallel"),
        RunRecord(OTHER, 20.0, None, (), "weft run 101", "parallel"),
    ]


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        ([], 9.0),
        ([RunResumed(at=10.0)], None),
        ([RetryRequested(at=10.0, job=KEY)], None),
        ([RetryRequested(at=10.0, job=KEY), RunEnded(at=12.0)], 12.0),
    ],
)
async def test_ended_run_may_go_on(journal: AnyJournal, later: list[AnyEvent], expected: float | None) -> None:
    """A run has ended with its RunEnded, until it is resumed or a job of it is tried again."""
    await journal.append(RUN, [started(), RunEnded(at=9.0), *later])
    assert [record.ended_at for record in journal.runs()] == [expected]


async def test_counts(journal: AnyJournal) -> None:
    """Events are counted, of one run or of all."""
    await journal.append(RUN, caps(3))
    await journal.append(OTHER, caps(2))
    assert (journal.count(), journal.count(RUN), journal.count(RunId("r-none"))) == (5, 3, 0)


async def test_events_of_type_over_all_runs(journal: AnyJournal) -> None:
    """Statistics read some types of all runs from a time on (RUN-18)."""
    await journal.append(RUN, [started(1.0), *caps(600), RunEnded(at=3.0)])
    await journal.append(OTHER, [started(8.0), TimerFired(at=8.5), RunEnded(at=9.0)])
    found = [(entry.run, entry.event.at) for entry in journal.events_of_type([RunStarted, RunEnded], since=2.0)]
    assert found == [(RUN, 3.0), (OTHER, 8.0), (OTHER, 9.0)]
    assert len(list(journal.events_of_type([CapSet]))) == 600
    assert list(journal.events_of_type([])) == []


class TestRequests:
    async def test_are_given_once_in_order(self, journal: AnyJournal) -> None:
        """A request is given out exactly once, in the order of asking, to its own run."""
        asked = [
            ControlRequest(RequestKind.CAP, cap=5),
            ControlRequest(RequestKind.PAUSE),
            ControlRequest(RequestKind.RETRY, job=KEY),
        ]
        for request in asked:
            journal.ask(RUN, request)
        journal.ask(OTHER, ControlRequest(RequestKind.RESUME))
        assert await journal.take_requests(RUN) == asked
        assert await journal.take_requests(RUN) == []
        assert await journal.take_requests(OTHER) == [ControlRequest(RequestKind.RESUME)]

    async def test_come_after_others_were_looked_for(self, journal: AnyJournal) -> None:
        """Having looked in vain does not hide a request that comes later, nor do events in between."""
        for cap in range(1, 6):
            assert await journal.take_requests(RUN) == []
            await journal.append(RUN, caps(1))
            assert await journal.take_requests(RUN) == []
            journal.ask(RUN, ControlRequest(RequestKind.CAP, cap=cap))
            assert await journal.take_requests(RUN) == [ControlRequest(RequestKind.CAP, cap=cap)]

    async def test_two_takers_share_them(self, journal: AnyJournal) -> None:
        """However many look at once, nobody gets what another got."""
        for cap in range(1, 11):
            journal.ask(RUN, ControlRequest(RequestKind.CAP, cap=cap))
        taken = await asyncio.gather(*(journal.take_requests(RUN) for _ in range(5)))
        assert sorted(request.cap or 0 for some in taken for request in some) == list(range(1, 11))


class TestLastJobEnd:
    REPO = Repo("shop", "/code/shop")

    async def test_is_none_before_any(self, journal: AnyJournal) -> None:
        """A job that never ended has no end."""
        await journal.append(RUN, [started(1.0, self.REPO), JobAdmitted(at=2.0, job=KEY)])
        assert journal.last_job_end("/code/shop", KEY) is None

    async def test_is_the_latest_of_all_runs(self, journal: AnyJournal) -> None:
        """The last run that worked on a job says how it ended, and which phases passed there (RUN-20)."""
        await journal.append(RUN, [started(1.0, self.REPO), ended(JobStatus.FAILED)])
        work = [
            phase(OTHER, "spec", 1, PhaseStatus.PASSED),
            phase(OTHER, "exec", 1, PhaseStatus.PASSED),
            phase(OTHER, "qa", 1, PhaseStatus.FAILED),
            phase(OTHER, "exec", 2, PhaseStatus.PASSED),
            phase(OTHER, "qa", 2, PhaseStatus.PASSED),
            phase(OTHER, "deploy", 1, PhaseStatus.FAILED),
            phase(OTHER, "other", 1, PhaseStatus.PASSED, JobKey("shop", "102")),
        ]
        await journal.append(OTHER, [started(2.0, self.REPO), *work, ended(JobStatus.PASSED)])
        end = journal.last_job_end("/code/shop", KEY)
        assert end is not None
        assert (end.run, end.event, end.phases) == (OTHER, ended(JobStatus.PASSED), ("spec", "exec", "qa"))

    @pytest.mark.parametrize("status", [JobStatus.SKIPPED, JobStatus.LOCKED, JobStatus.NOT_RUN])
    async def test_ends_without_work_do_not_hide_it(self, journal: AnyJournal, status: JobStatus) -> None:
        """A job that passed and was then skipped is still a job that passed (RUN-20)."""
        await journal.append(RUN, [started(1.0, self.REPO), ended(JobStatus.PASSED)])
        await journal.append(OTHER, [started(2.0, self.REPO), ended(status)])
        end = journal.last_job_end("/code/shop", KEY)
        assert end is not None
        assert (end.run, end.event.status) == (RUN, JobStatus.PASSED)

    async def test_is_of_the_repo_at_that_path(self, journal: AnyJournal) -> None:
        """Two repos may both be called shop and have a 101; one repo may have had another name."""
        await journal.append(RUN, [started(1.0, self.REPO), ended(JobStatus.FAILED)])
        await journal.append(OTHER, [started(2.0, Repo("shop", "/else/shop")), ended(JobStatus.PASSED)])
        end = journal.last_job_end("/code/shop", JobKey("renamed", "101"))
        assert end is not None
        assert end.event.status is JobStatus.FAILED
        assert journal.last_job_end("/code", KEY) is None


async def test_delete_forgets_a_run_and_only_that(journal: AnyJournal) -> None:
    """Cleaning takes a run away whole, leaves the others, and never gives a number twice."""
    repo = Repo("shop", "/code/shop")
    await journal.append(OTHER, [started(1.0, repo), ended(JobStatus.FAILED)])
    last = await journal.append(RUN, [started(2.0, repo), ended(JobStatus.PASSED)])
    journal.ask(RUN, ControlRequest(RequestKind.PAUSE))
    journal.delete_run(RUN)
    assert (list(journal.read(RUN)), [record.run for record in journal.runs()]) == ([], [OTHER])
    assert await journal.take_requests(RUN) == []
    end = journal.last_job_end("/code/shop", KEY)
    assert end is not None
    assert end.run == OTHER
    assert await journal.append(OTHER, caps(1)) > last


class TestFollow:
    async def test_ends_with_the_run(self, journal: AnyJournal) -> None:
        """Who follows a run gets what was there and what comes, and is let go when it ends (RUN-17)."""
        await journal.append(RUN, [started(), *caps(2)])
        seen: list[AnyEvent] = []
        halfway = asyncio.Event()

        async def watch() -> None:
            async for entry in journal.follow(RUN):
                seen.append(entry.event)
                halfway.set()

        task = asyncio.create_task(watch())
        await halfway.wait()
        await journal.append(RUN, [AttemptStarted(at=2.0, attempt=AttemptId(RUN, KEY, "spec", 1)), RunEnded(at=3.0)])
        await task
        assert seen == [entry.event for entry in journal.read(RUN)]

    async def test_of_an_ended_run_gives_it_whole(self, journal: AnyJournal) -> None:
        """A run that is over is given out whole, from any number on, without waiting."""
        seq = await journal.append(RUN, [started(), *caps(700), RunEnded(at=3.0)])
        assert len([entry async for entry in journal.follow(RUN)]) == 702
        assert [entry async for entry in journal.follow(RUN, after=seq)] == []

    async def test_goes_past_an_end_that_was_none(self, journal: AnyJournal) -> None:
        """A run that was taken up again is followed to its last end."""
        await journal.append(RUN, [started(), RunEnded(at=3.0), RunResumed(at=4.0)])
        stream: AsyncIterator[Entry] = aiter(journal.follow(RUN))
        for _ in range(3):
            await anext(stream)
        await journal.append(RUN, [RunEnded(at=5.0)])
        assert [entry.event async for entry in stream] == [RunEnded(at=5.0)]

    async def test_ends_when_nobody_has_the_run(self, journal: AnyJournal) -> None:
        """A run whose process was killed never ends by itself; its last events are still given out."""
        await journal.append(RUN, [started(), *caps(2)])
        assert len([entry async for entry in journal.follow(RUN, alive=lambda: False)]) == 3


async def test_answers_are_kept_until_the_job_has_passed(journal: AnyJournal) -> None:
    """UI-4: those given in a run and those given after it, by the repo's path; another repo's stay."""
    await journal.append(RUN, [started(1.0, Repo("shop", "/code/shop")), ended(JobStatus.PARKED)])
    await journal.append(RUN, [AnswerGiven(at=2.0, job=KEY, text="blue"), RunEnded(at=3.0)])
    journal.keep_answer(Answer("/code/shop", "101", RUN, 4.0, "big"))
    journal.keep_answer(Answer("/code/web", "101", OTHER, 4.0, "other"))
    assert [answer.text for answer in journal.answers()] == ["blue", "big", "other"]
    assert journal.answers()[0] == Answer("/code/shop", "101", RUN, 2.0, "blue")
    await journal.append(OTHER, [started(5.0, Repo("renamed", "/code/shop"))])
    await journal.append(OTHER, [ended(JobStatus.FAILED, 6.0, JobKey("renamed", "101"))])
    assert len(journal.answers()) == 3
    await journal.append(OTHER, [ended(JobStatus.PASSED, 7.0, JobKey("renamed", "101"))])
    assert [answer.text for answer in journal.answers()] == ["other"]
    journal.delete_run(OTHER)
    assert journal.answers() == []
