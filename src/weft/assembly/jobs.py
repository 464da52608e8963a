"""Issues become jobs: their branches, what they depend on, whether they are finished already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from weft.errors import UsageError
from weft.model.ids import JobKey, title_slug
from weft.model.job import Job, JobStatus
from weft.ports import Issue, IssueSource, JobEnd


class History(Protocol):
    """What earlier runs left."""

    def last_job_end(self, repo_path: str, key: JobKey) -> JobEnd | None: ...


class Branches(Protocol):
    """What git knows."""

    async def branch_exists(self, name: str) -> bool: ...

    async def has_commit(self, commit: str, within: str) -> bool: ...


class Finished(msgspec.Struct, frozen=True):
    """A job that an earlier run has done."""

    why: str
    phases: tuple[str, ...]
    branch: str | None = None
    """None where it is merged and gone: whoever builds on the job starts at the base."""


class JobMaker(msgspec.Struct, frozen=True):
    """Makes the jobs of one repo."""

    repo: str
    repo_path: str
    base: str
    branch_prefix: str
    phases: tuple[str, ...]
    source: IssueSource
    history: History
    branches: Branches
    force: bool = False

    async def jobs(self, issues: Sequence[Issue]) -> list[Job]:
        """In the issues' order; raises UsageError that names every reference to an unknown issue."""
        among = {issue.id: issue for issue in issues}
        self._refuse_unknown(issues, among)
        return [await self._job(issue, among) for issue in issues]

    def _refuse_unknown(self, issues: Sequence[Issue], among: Mapping[str, Issue]) -> None:
        unknown = [
            f"#{issue.id} depends on {_shown(need)} ({issue.origin})"
            for issue in issues
            for need in map(self._local, issue.depends_on)
            if "#" not in need and need not in among and self.source.find(need) is None
        ]
        if unknown:
            raise UsageError(f"Unknown dependencies: {'; '.join(unknown)}", hint="mend `depends_on` in these issues")

    async def _job(self, issue: Issue, among: Mapping[str, Issue]) -> Job:
        key = JobKey(self.repo, issue.id)
        finished = None if self.force else await self._finished(key)
        needs = [self._local(need) for need in issue.depends_on]
        inside = tuple(JobKey(self.repo, need) for need in needs if need in among)
        builds_on, unmet = await self._outside([need for need in needs if need not in among])
        return Job(
            key=key,
            title=issue.title,
            lane=self.repo,
            body=issue.body,
            branch=self.branch_of(issue) if finished is None else finished.branch,
            depends_on=tuple(dict.fromkeys(inside)),
            builds_on=builds_on,
            unmet=unmet,
            finished=finished.why if finished else None,
            priority=issue.priority,
            touches=issue.touches,
            labels=issue.labels,
            milestone=issue.milestone,
            origin=issue.origin,
        )

    def branch_of(self, issue: Issue) -> str:
        words = title_slug(issue.title)
        return f"{self.branch_prefix}{issue.id}-{words}" if words else f"{self.branch_prefix}{issue.id}"

    def _local(self, need: str) -> str:
        """`shop#7` in the repo `shop` is its own `7`."""
        repo, mark, ident = need.rpartition("#")
        return ident if mark and repo.rpartition("/")[2] == self.repo else need

    async def _outside(self, needs: Sequence[str]) -> tuple[tuple[str, ...], str | None]:
        """Branches of dependencies that were finished before, and the first that is not done."""
        branches: list[str] = []
        for need in needs:
            if "#" in need:
                return (), f"{need} (another repo's, not part of this run)"
            issue = self.source.find(need)
            passed = await self._passed(JobKey(self.repo, need))
            if passed is not None:
                branches += [passed.branch] if passed.branch else []
            elif issue is None or not issue.closed:
                return (), f"#{need} (not part of this run and not finished before)"
        return tuple(branches), None

    async def _finished(self, key: JobKey) -> Finished | None:
        passed = await self._passed(key)
        return passed if passed and set(self.phases) <= set(passed.phases) else None

    async def _passed(self, key: JobKey) -> Finished | None:
        """Its last end, if that was a pass whose branch is still there, or merged: git is the truth."""
        end = self.history.last_job_end(self.repo_path, key)
        if end is None or end.event.status is not JobStatus.PASSED or end.event.branch is None:
            return None
        if await self.branches.branch_exists(end.event.branch):
            where = f"on branch {end.event.branch}"
            return Finished(_before(end.run, where), end.phases, end.event.branch)
        if end.event.commit and await self.branches.has_commit(end.event.commit, self.base):
            return Finished(_before(end.run, "and merged since"), end.phases)
        return None


def _before(run: str, where: str) -> str:
    return f"finished before in run {run}, {where}; `--force` runs it again"


def _shown(need: str) -> str:
    return need if "#" in need else f"#{need}"
