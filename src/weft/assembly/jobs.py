"""Issues become jobs: their branches, whether they are finished already. What they wait for is in `needs`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from weft.model.ids import JobKey, title_slug
from weft.model.job import Job, JobStatus, PassedBefore, PullRequestRef
from weft.ports import Issue, IssueSource, JobEnd


class History(Protocol):
    """What earlier runs left."""

    def last_job_end(self, repo_path: str, key: JobKey) -> JobEnd | None: ...


class Branches(Protocol):
    """What git knows."""

    async def branch_exists(self, name: str) -> bool: ...

    async def branch_tip(self, branch: str) -> str | None: ...

    async def has_commit(self, commit: str, within: str) -> bool: ...


class Finished(msgspec.Struct, frozen=True):
    """A job that an earlier run has done."""

    why: str
    phases: tuple[str, ...]
    branch: str | None = None
    """None where it is merged and gone: whoever builds on the job starts at the base."""
    pull_request: PullRequestRef | None = None


class Needs(msgspec.Struct, frozen=True):
    """What a job waits for."""

    inside: tuple[JobKey, ...] = ()
    """Jobs of the same plan."""
    builds_on: tuple[str, ...] = ()
    """Branches of work that was finished before."""
    unmet: str | None = None
    """What is not done, and not going to be."""


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
    full_name: str | None = None
    """`owner/name`, where the repo has such."""
    lands_on: str | None = None
    """The branch that work is merged into: then what is on neither it nor the base is not finished."""
    merged_into: str | None = None
    """A branch that work may have been merged into, where that is as good as the base."""
    pulls: Mapping[str, PullRequestRef] | None = None
    """Open pull requests of the branches that `branches_of` names; None: no pull requests are made."""

    def key(self, issue: Issue) -> JobKey:
        return JobKey(self.repo, issue.id)

    async def job(self, issue: Issue, needs: Needs) -> Job:
        key = self.key(issue)
        passed = None if self.force else await self._unpublished(key)
        finished = None if self.force or passed else await self._finished(key) or await self._has_pull(issue)
        return Job(
            key=key,
            title=issue.title,
            lane=self.repo,
            body=issue.body,
            branch=passed[1] if passed else self.branch_of(issue) if finished is None else finished.branch,
            depends_on=needs.inside,
            builds_on=needs.builds_on,
            unmet=needs.unmet,
            finished=finished.why if finished else None,
            priority=issue.priority,
            touches=issue.touches,
            labels=issue.labels,
            milestone=issue.milestone,
            origin=issue.origin,
            passed=passed[0] if passed else None,
            pull_request=finished.pull_request if finished else None,
        )

    def branches_of(self, issue: Issue) -> list[str]:
        """Those that its work is or would be on."""
        end = self.history.last_job_end(self.repo_path, self.key(issue))
        before = end.event.branch if end is not None else None
        return [*([before] if before else []), self.branch_of(issue)]

    def branch_of(self, issue: Issue) -> str:
        words = title_slug(issue.title)
        return f"{self.branch_prefix}{issue.id}-{words}" if words else f"{self.branch_prefix}{issue.id}"

    async def _unpublished(self, key: JobKey) -> tuple[PassedBefore, str] | None:
        """Work of an earlier run that is whole, on its branch, and has no pull request yet."""
        end = self.history.last_job_end(self.repo_path, key)
        if self.pulls is None or end is None or end.event.branch is None or end.event.commit is None:
            return None
        event, branch = end.event, end.event.branch
        alone = event.status is JobStatus.PASSED and event.pull_request is None and branch not in self.pulls
        whole = set(self.phases) <= set(end.phases)
        if not (event.unpublished or alone) or not whole or await self.branches.branch_tip(branch) != event.commit:
            return None
        return PassedBefore(event.passed_in or end.run, end.event.commit), branch

    async def _has_pull(self, issue: Issue) -> Finished | None:
        """RUN-20: also where another made it."""
        branch = next((name for name in self.branches_of(issue) if name in (self.pulls or {})), None)
        if branch is None or self.pulls is None:
            return None
        there = branch if await self.branches.branch_exists(branch) else None
        pull = self.pulls[branch]
        return Finished(f"pull request #{pull.number} is open; `--force` runs it again", (), there, pull)

    async def _finished(self, key: JobKey) -> Finished | None:
        passed = await (self._landed(key) if self.lands_on else self.passed(key))
        return passed if passed and set(self.phases) <= set(passed.phases) else None

    async def passed(self, key: JobKey) -> Finished | None:
        """Its last end, if that was a pass whose branch is still there, or merged: git is the truth."""
        end = self._last_pass(key)
        if end is None or end.event.branch is None:
            return None
        if await self.branches.branch_exists(end.event.branch):
            where = f"on branch {end.event.branch}"
            return Finished(_before(end.run, where), end.phases, end.event.branch, end.event.pull_request)
        if self.merged_into is not None:
            landed = await self._within(end, f"refs/heads/{self.merged_into}", f"and merged into {self.merged_into}")
            if landed is not None:
                return landed
        return await self._within(end, self.base, "and merged since")

    async def _landed(self, key: JobKey) -> Finished | None:
        """Its last end, if that was a pass that is part of the target, or of the base, by now."""
        end = self._last_pass(key)
        if end is None:
            return None
        on_target = await self._within(end, f"refs/heads/{self.lands_on}", f"and on branch {self.lands_on}")
        return on_target or await self._within(end, self.base, "and merged since")

    async def _within(self, end: JobEnd, ref: str, where: str) -> Finished | None:
        commit = end.event.landed or end.event.commit
        if commit and await self.branches.has_commit(commit, ref):
            return Finished(_before(end.run, where), end.phases, pull_request=end.event.pull_request)
        return None

    def _last_pass(self, key: JobKey) -> JobEnd | None:
        end = self.history.last_job_end(self.repo_path, key)
        return end if end is not None and end.event.status is JobStatus.PASSED else None


def _before(run: str, where: str) -> str:
    return f"finished before in run {run}, {where}; `--force` runs it again"
