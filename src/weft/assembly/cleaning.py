"""Tidying up: what is safe to remove, what is kept and why. Never a branch, never a saved ref."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path

import msgspec

from weft.assembly.history import History
from weft.assembly.worktrees import worktrees_folder
from weft.board.views import JobView
from weft.errors import UsageError
from weft.model.ids import RunId
from weft.model.job import JobStatus
from weft.ports import RunRecord
from weft.settings.environment import Environment
from weft.stores.claims import claim_run
from weft.workspaces.git import Git
from weft.workspaces.leftovers import Leftover, Leftovers
from weft.workspaces.repository import Repository, find_repo


class Kind(Enum):
    WORKSPACE = "workspace"
    TRANSCRIPTS = "transcripts"
    """The folder of a run: what its agents and gates printed."""
    JOURNAL = "journal"
    """All events of a run."""


class Item(msgspec.Struct, frozen=True):
    kind: Kind
    name: str
    """A path, or a run's id."""
    run: str | None
    job: str | None = None
    why: str | None = None
    """Why it is kept; None: it goes."""


class Ages(msgspec.Struct, frozen=True):
    """Times before which a run must have ended for what it left to go."""

    workspaces: float | None
    """None: however short ago."""
    runs: float


class Cleaning:
    """`survey` says what would be done; `carry_out` does it."""

    def __init__(self, history: History, environment: Environment, ages: Ages) -> None:
        self._history = history
        self._git = Git(environment.variables)
        self._ages = ages
        self._leftovers: dict[str, tuple[Leftovers, Leftover]] = {}

    async def survey(self) -> list[Item]:
        records = self._history.records()
        repositories = await self._repositories(records)
        items = [item for repository in repositories.values() for item in await self._workspaces(repository)]
        for record in records:
            items += await self._run(record, repositories)
        return items

    async def carry_out(self, items: Iterable[Item]) -> None:
        for item in items:
            if item.why is None:
                await self._remove(item)

    async def _remove(self, item: Item) -> None:
        match item.kind:
            case Kind.WORKSPACE:
                leftovers, leftover = self._leftovers[item.name]
                await leftovers.remove(leftover)
            case Kind.TRANSCRIPTS:
                run = RunId(str(item.run))
                with claim_run(Path(self._history.layout.root), run):
                    shutil.rmtree(item.name)
            case Kind.JOURNAL:
                self._history.journal.delete_run(RunId(item.name))

    # ------------------------------------------------------------ workspaces

    async def _repositories(self, records: list[RunRecord]) -> dict[str, Repository]:
        """Those that are still there."""
        found: dict[str, Repository] = {}
        for path in dict.fromkeys(path for record in records for path in record.repos):
            try:
                found[path] = Repository(self._git, await find_repo(self._git, Path(path)))
            except UsageError:
                continue
        return found

    async def _workspaces(self, repository: Repository) -> list[Item]:
        leftovers = Leftovers(worktrees_folder(self._history.layout), self._git, repository.facts)
        items = []
        for leftover in leftovers.found():
            self._leftovers[str(leftover.path)] = leftovers, leftover
            mark = leftover.mark
            why = self._still_used(leftover) or await leftovers.only_there(leftover)
            items.append(
                Item(Kind.WORKSPACE, str(leftover.path), mark.run if mark else None, mark.job if mark else None, why)
            )
        return items

    def _still_used(self, leftover: Leftover) -> str | None:
        if leftover.mark is None:
            return None
        mark, limit = leftover.mark, self._ages.workspaces
        for record in self._history.records():
            if record.ended_at is None and (record.run == mark.run or mark.job in self._jobs(record)):
                alive = self._history.has_process(record.run)
                return f"run {record.run} {'is under way' if alive else 'was interrupted: `weft recover`'}"
            if record.run == mark.run and limit is not None and (record.ended_at or limit) > limit:
                return f"run {record.run} ended less long ago"
        return None

    def _jobs(self, record: RunRecord) -> set[str]:
        plan = self._history.plan(record.run)
        return {str(job.key) for job in plan.jobs} if plan else set()

    # ------------------------------------------------------------ runs

    async def _run(self, record: RunRecord, repositories: Mapping[str, Repository]) -> list[Item]:
        """Nothing is said of runs that are under way, interrupted or recent: they are simply in use."""
        if record.ended_at is None or record.ended_at > self._ages.runs:
            return []
        folder = Path(self._history.layout.run(record.run))
        items = [Item(Kind.TRANSCRIPTS, str(folder), record.run)] if folder.exists() else []
        why = await self._still_counts(record, repositories)
        return [*items, Item(Kind.JOURNAL, record.run, record.run, why=why)]

    async def _still_counts(self, record: RunRecord, repositories: Mapping[str, Repository]) -> str | None:
        """A job that passed there is not run again while its branch exists, or the one it was merged into; and only
        the journal knows.
        """
        for job in self._passed(record):
            for path in record.repos:
                last = self._history.journal.last_job_end(path, job.key)
                if path not in repositories or last is None or last.run != record.run:
                    continue
                if why := await _where_it_is(repositories[path], job):
                    return f"{job.key} passed there, and {why}: it is not run again"
        return None

    def _passed(self, record: RunRecord) -> list[JobView]:
        return [job for job in self._history.view(record.run).jobs.values() if job.status is JobStatus.PASSED]


async def _where_it_is(repository: Repository, job: JobView) -> str | None:
    """The default branch does not count: it is there for ever, and the journal is not to be."""
    if job.branch and await repository.branch_exists(job.branch):
        return f"its branch {job.branch} exists"
    if not job.merged or job.target is None or (await repository.default_base()).endswith(f"/{job.target}"):
        return None
    return f"{job.target}, which it was merged into, exists" if await repository.branch_exists(job.target) else None
