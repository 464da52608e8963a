"""Which of a project's tasks are due, and why the others are not (PROJ-4, PROJ-9)."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

import msgspec

from weft.assembly.maintenance import MaintenanceTask
from weft.assembly.windows import Window, due_again, period_begin
from weft.board.durations import duration_text
from weft.model.ids import JobKey, RunId
from weft.model.job import JobStatus
from weft.ports import JobEnd
from weft.stores.memory import MemoryJournal
from weft.stores.sqlite import SqliteJournal
from weft.workspaces.repository import Repository

GOOD = frozenset({JobStatus.PASSED, JobStatus.NO_CHANGE})
"""Ends after which a task is done: a change to hand over, or the finding that none is needed."""


class Clocks(msgspec.Struct, frozen=True):
    """The moment of planning, and how nights are told apart."""

    now: float
    zone: tzinfo
    window: Window | None = None

    @property
    def period(self) -> float:
        """Since when it is the current night."""
        return period_begin(_moment(self.now), self.zone, self.window).timestamp()

    def due_again(self, began: float, cooldown: float) -> float:
        return due_again(_moment(began), cooldown, self.zone, self.window).timestamp()


class Due(msgspec.Struct, frozen=True):
    """What is asked of one project."""

    repo_path: str
    name: str
    base: str
    prefix: str
    only: tuple[str, ...] = ()
    """`--task`: these alone, done before or not."""
    again: bool = False
    """`--again`: done before or not."""

    def branch(self, task: str) -> str:
        return f"{self.prefix}{task}"

    def key(self, task: str) -> JobKey:
        return JobKey(self.name, task)


class Past(msgspec.Struct, frozen=True):
    """What earlier runs did."""

    journal: SqliteJournal | MemoryJournal
    starts: dict[RunId, float]
    """When each began: a run belongs to the night it began in."""

    @classmethod
    def of(cls, journal: SqliteJournal | MemoryJournal) -> Past:
        return cls(journal, {record.run: record.started_at for record in journal.runs()})

    def last_end(self, due: Due, task: str) -> JobEnd | None:
        return self.journal.last_job_end(due.repo_path, due.key(task))


async def why_not(task: MaintenanceTask, due: Due, past: Past, clocks: Clocks, repository: Repository) -> str | None:
    """None: it is due."""
    if due.only and task.name not in due.only:
        return "not asked for"
    if not task.enabled:
        return f"`tasks.{task.name}.enabled` is false"
    end = past.last_end(due, task.name)
    return await _open_change(task, due, end, repository) or (
        None if due.only or due.again else _done_before(task, end, past, clocks)
    )


async def _open_change(task: MaintenanceTask, due: Due, end: JobEnd | None, repository: Repository) -> str | None:
    """Its branch has something that the base has not; but for what a failed try left, which nobody is to merge."""
    branch = due.branch(task.name)
    tip = await repository.branch_tip(branch)
    if tip is None or (end is not None and end.event.status not in GOOD and end.event.commit == tip):
        return None
    if await repository.adds_nothing(branch, due.base):
        return None
    return f"branch `{branch}` holds a change that is not merged yet; merge or delete it"


def _done_before(task: MaintenanceTask, end: JobEnd | None, past: Past, clocks: Clocks) -> str | None:
    if end is None or end.event.status not in GOOD:
        return None
    began = past.starts.get(end.run, 0.0)
    if began >= clocks.period:
        return f"had its run (run {end.run})"
    left = clocks.due_again(began, task.cooldown) - clocks.now
    if left <= 0:
        return None
    ago = duration_text(max(0.0, clocks.now - end.event.at))
    return f"done {ago} ago in run {end.run}; due again in {duration_text(left)}"


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)
