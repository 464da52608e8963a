"""A wave as it stands, repo by repo: what is done, what waits, what needs a person."""

from __future__ import annotations

import msgspec

from weft.board.views import JobView, RunView
from weft.model.job import JobStatus
from weft.model.plan import Plan


class RepoStand(msgspec.Struct, frozen=True):
    name: str
    path: str
    target: str | None
    total: int
    done: int
    """Passed, and landed where they are to; those of an earlier run that are on the target too."""
    merged: int
    """Of those, the ones that landed in this run."""
    queued: int
    """In the merge queue."""
    active: int
    parked: int
    failed: int
    """Ended in any other way."""

    @property
    def left(self) -> int:
        """Not begun, or waiting for another try."""
        return self.total - self.done - self.queued - self.active - self.parked - self.failed


def repo_stands(plan: Plan, view: RunView) -> list[RepoStand]:
    """In the plan's order."""
    jobs: dict[str, list[JobView]] = {repo.name: [] for repo in plan.repos}
    for job in view.jobs.values():
        jobs.setdefault(job.key.repo, []).append(job)
    return [
        _stand(repo.name, repo.path, repo.merge.target if repo.merge else None, jobs[repo.name]) for repo in plan.repos
    ]


def _stand(name: str, path: str, target: str | None, jobs: list[JobView]) -> RepoStand:
    done = [job for job in jobs if job.status is not None and job.status.done]
    parked = [job for job in jobs if job.status is JobStatus.PARKED]
    ended = [job for job in jobs if job.status is not None]
    return RepoStand(
        name=name,
        path=path,
        target=target,
        total=len(jobs),
        done=len(done),
        merged=sum(job.merged for job in jobs),
        queued=sum(job.queued for job in jobs if job.status is None),
        active=sum(job.in_flight for job in jobs),
        parked=len(parked),
        failed=len(ended) - len(done) - len(parked),
    )
