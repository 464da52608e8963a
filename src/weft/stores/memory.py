"""The journal in memory: for simulations, tests and short-lived use of the library."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from itertools import islice
from types import TracebackType

from msgspec.structs import replace

from weft.model.answer import Answer
from weft.model.events import (
    AnswerGiven,
    AnyEvent,
    JobEnded,
    QuotaSeen,
    RetryRequested,
    RunEnded,
    RunResumed,
    RunStarted,
)
from weft.model.ids import JobKey, RunId
from weft.model.job import JobStatus
from weft.model.plan import Mode
from weft.ports import ControlRequest, Entry, JobEnd, RunRecord
from weft.stores.ends import UNTOUCHED, phases_passed


class MemoryJournal:
    """The same promises but for durability: it is gone with its process."""

    def __init__(self) -> None:
        self._seq = 0
        self._log: list[Entry] = []
        self._entries: dict[RunId, list[Entry]] = defaultdict(list)
        self._runs: dict[RunId, RunRecord] = {}
        self._repos: dict[RunId, dict[str, str]] = {}
        self._ends: dict[tuple[str, str], list[tuple[RunId, JobEnded]]] = defaultdict(list)
        self._quotas: list[QuotaSeen] = []
        self._answers: list[Answer] = []
        self._requests: dict[RunId, list[ControlRequest]] = defaultdict(list)
        self._waiting: set[asyncio.Future[None]] = set()

    def __enter__(self) -> MemoryJournal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Nothing to let go of."""

    async def append(self, run: RunId, events: Sequence[AnyEvent]) -> int:
        for event in events:
            self._seq += 1
            entry = Entry(self._seq, run, event)
            self._log.append(entry)
            self._entries[run].append(entry)
            self._keep_beside(run, event)
        self._wake()
        return self._seq if events else 0

    def read(self, run: RunId, after: int = 0) -> Iterator[Entry]:
        entries = self._entries.get(run, [])
        return islice(entries, bisect_right(entries, after, key=lambda entry: entry.seq), None)

    def events_of_type(self, types: Sequence[type[AnyEvent]], since: float = 0.0) -> Iterator[Entry]:
        wanted = tuple(types)
        return (each for each in self._log if isinstance(each.event, wanted) and each.event.at >= since)

    def count(self, run: RunId | None = None) -> int:
        if run is None:
            return len(self._log)
        return len(self._entries.get(run, ()))

    def runs(self) -> list[RunRecord]:
        return list(self._runs.values())

    def last_job_end(self, repo_path: str, key: JobKey) -> JobEnd | None:
        """How the job ended when it was last worked on, over all runs of the repo at that path."""
        ends = self._ends.get((repo_path, key.id))
        if not ends:
            return None
        run, event = ends[-1]
        return JobEnd(run, event, phases_passed(self._entries.get(event.passed_in or run, ()), event.job))

    async def follow(
        self, run: RunId, after: int = 0, *, alive: Callable[[], bool] = lambda: True
    ) -> AsyncGenerator[Entry, None]:
        """What is there and what comes, until the run has ended or `alive` says that nobody has it any more."""
        known = False
        while True:
            for entry in list(self.read(run, after)):
                yield entry
                after = entry.seq
            record = self._runs.get(run)
            known = known or record is not None
            more = any(True for _ in self.read(run, after))
            over = (record.ended_at is not None if record else known) or not alive()
            if over and not more:
                return
            if not more:
                await self._news()

    def ask(self, run: RunId, request: ControlRequest) -> None:
        self._requests[run].append(request)

    async def take_requests(self, run: RunId) -> list[ControlRequest]:
        return self._requests.pop(run, [])

    def answers(self) -> list[Answer]:
        """What people said about jobs that have not passed since, oldest first."""
        return list(self._answers)

    def keep_answer(self, answer: Answer) -> None:
        """For the next run of the job: the one that it was stuck in is over."""
        self._answers.append(answer)

    def quota_news(self, since: float) -> list[QuotaSeen]:
        return [event for event in self._quotas if event.at >= since]

    def delete_run(self, run: RunId) -> None:
        """Forget all about a run."""
        self._log = [entry for entry in self._log if entry.run != run]
        self._entries.pop(run, None)
        for ends in self._ends.values():
            ends[:] = [end for end in ends if end[0] != run]
        self._runs.pop(run, None)
        self._repos.pop(run, None)
        self._answers = [answer for answer in self._answers if answer.run != run]
        self._requests.pop(run, None)
        self._wake()

    def _keep_beside(self, run: RunId, event: AnyEvent) -> None:
        match event:
            case RunStarted() if run not in self._runs:
                plan = event.plan
                paths = tuple(repo.path for repo in plan.repos)
                self._runs[run] = RunRecord(run, event.at, None, paths, plan.command, plan.mode.value)
                self._repos[run] = {repo.name: repo.path for repo in reversed(plan.repos)}
            case RunEnded():
                self._set_ended(run, event.at)
            case QuotaSeen():
                self._quotas.append(event)
            case RunResumed() | RetryRequested():
                self._set_ended(run, None)
            case JobEnded() if event.status not in UNTOUCHED:
                path = self._repos.get(run, {}).get(event.job.repo)
                if path is not None and self._runs[run].mode != Mode.TASKS.value:
                    self._ends[path, event.job.id].append((run, event))
                if event.status is JobStatus.PASSED:
                    self._answers = [one for one in self._answers if (one.path, one.job) != (path, event.job.id)]
            case AnswerGiven():
                path = self._repos.get(run, {}).get(event.job.repo)
                if path is not None and self._runs[run].mode != Mode.TASKS.value:
                    self._answers.append(Answer(path, event.job.id, run, event.at, event.text))
            case _:
                pass

    def _set_ended(self, run: RunId, at: float | None) -> None:
        if run in self._runs:
            self._runs[run] = replace(self._runs[run], ended_at=at)

    async def _news(self) -> None:
        news = asyncio.get_running_loop().create_future()
        self._waiting.add(news)
        try:
            await news
        finally:
            self._waiting.discard(news)

    def _wake(self) -> None:
        for news in self._waiting:
            if not news.done():
                news.set_result(None)
