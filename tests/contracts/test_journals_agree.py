"""The journal in memory answers as the one on disk does, whatever is done to both."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from weft.model.events import (
    AnswerGiven,
    AnyEvent,
    CapSet,
    JobEnded,
    PhaseEnded,
    RetryRequested,
    RunEnded,
    RunResumed,
    RunStarted,
)
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import JobStatus
from weft.model.outcome import PhaseStatus
from weft.model.plan import Mode, Plan, Repo
from weft.ports import ControlRequest, RequestKind
from weft.stores.memory import MemoryJournal
from weft.stores.sqlite import SqliteJournal

AnyJournal: TypeAlias = MemoryJournal | SqliteJournal
Step: TypeAlias = tuple[RunId, list[AnyEvent] | ControlRequest | None]
"""Events to append, a request to leave, or None: delete the run."""

RUNS = [RunId("r-1"), RunId("r-2"), RunId("r-3")]
PATHS = ["/code/shop", "/else/shop"]
KEYS = [JobKey("shop", "1"), JobKey("shop", "2"), JobKey("api", "1")]

times = st.integers(0, 20).map(float)
keys = st.sampled_from(KEYS)
repos = st.lists(st.builds(Repo, name=st.sampled_from(["shop", "api"]), path=st.sampled_from(PATHS)), max_size=3)
plans = st.builds(Plan, mode=st.sampled_from(Mode), jobs=st.just(()), cap=st.integers(1, 9), repos=repos.map(tuple))
attempts = st.builds(
    AttemptId, run=st.sampled_from(RUNS), job=keys, phase=st.sampled_from(["exec", "qa"]), number=st.integers(1, 3)
)
events: st.SearchStrategy[AnyEvent] = st.one_of(
    st.builds(RunStarted, at=times, plan=plans),
    st.builds(JobEnded, at=times, job=keys, status=st.sampled_from(JobStatus)),
    st.builds(PhaseEnded, at=times, attempt=attempts, status=st.sampled_from(PhaseStatus)),
    st.builds(RunEnded, at=times),
    st.builds(RunResumed, at=times),
    st.builds(RetryRequested, at=times, job=keys),
    st.builds(AnswerGiven, at=times, job=keys, text=st.just("blue")),
    st.builds(CapSet, at=times, cap=st.integers(1, 9)),
)
steps: st.SearchStrategy[Step] = st.tuples(
    st.sampled_from(RUNS),
    st.one_of(
        st.lists(events, min_size=1, max_size=6),
        st.builds(ControlRequest, kind=st.sampled_from(RequestKind), cap=st.integers(1, 9)),
        st.none(),
    ),
)


async def do(journal: AnyJournal, step: Step) -> object:
    match step:
        case run, None:
            journal.delete_run(run)
        case run, ControlRequest() as request:
            journal.ask(run, request)
        case run, list() as group:
            return await journal.append(run, group)
    return None


async def all_that_can_be_asked(journal: AnyJournal) -> list[object]:
    return [
        journal.runs(),
        journal.answers(),
        journal.count(),
        [list(journal.read(run, after)) for run in RUNS for after in (0, 5)],
        [journal.last_job_end(path, key) for path in PATHS for key in KEYS],
        list(journal.events_of_type([JobEnded, RunStarted], since=10.0)),
        [await journal.take_requests(run) for run in RUNS],
    ]


@settings(max_examples=60, deadline=None)
@given(st.lists(steps, max_size=15))
def test_both_answer_the_same(done: list[Step]) -> None:
    """After any sequence of appends, requests and deletions both give the same answers."""

    async def compare(folder: str) -> None:
        memory = MemoryJournal()
        with SqliteJournal(Path(folder) / "weft.db") as sqlite:
            for step in done:
                assert await do(memory, step) == await do(sqlite, step)
            assert await all_that_can_be_asked(memory) == await all_that_can_be_asked(sqlite)

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(compare(folder))
