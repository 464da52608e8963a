"""Pull requests on GitHub: the branch is pushed, then its one pull request says what was done (RUN-5, WAVE-11)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from weft.assembly.github_doors import GithubDoors
from weft.assembly.pull_request_facts import handoff_facts, handoff_title, is_tracked, job_facts
from weft.board.board import fold
from weft.errors import DefectError
from weft.model.events import AnyEvent
from weft.model.ids import AttemptId, RunId
from weft.model.job import Job, PullRequestRef
from weft.model.plan import Plan, PublishTo, Repo
from weft.ports import Journal, Published, Say
from weft.settings.environment import Environment
from weft.workspaces.git import Git
from weft.workspaces.repository import Repository, find_repo


class GithubPullRequests:
    """`PullRequests` of one run."""

    def __init__(self, run: RunId, plan: Plan, journal: Journal, environment: Environment, doors: GithubDoors) -> None:
        self._run = run
        self._plan = plan
        self._jobs = {job.key: job for job in plan.jobs}
        self._journal = journal
        self._environment = environment
        self._doors = doors
        self._git = Git(environment.variables)

    def calls_since(self) -> int:
        return self._doors.calls_since()

    async def publish(self, attempt: AttemptId, commit: str, base: str, say: Say) -> Published:
        job = self._jobs[attempt.job]
        repo = self._plan.repo(job.key.repo)
        done_in = job.passed.run if job.passed else self._run
        events = await asyncio.to_thread(self._events, done_in)
        view = fold(done_in, events)
        facts = job_facts(job, view, events)
        with self._doors.telling(say):
            made = await self._made(repo, _branch(job), commit, base, job.title, facts.body(_to(repo).template))
            await self._tell_issue(job, _to(repo), made)
        return made

    async def hand_off(self, repo: str, say: Say) -> Published:
        known = self._plan.repo(repo)
        assert known.merge is not None
        target = known.merge.target
        repository = Repository(self._git, await find_repo(self._git, Path(known.path)))
        tip = await repository.branch_tip(target)
        if tip is None or await repository.has_commit(tip, known.base):
            return Published(None)
        events = await asyncio.to_thread(self._events, self._run)
        facts = handoff_facts(self._plan, known, fold(self._run, events), events)
        title = handoff_title(self._plan, known)
        with self._doors.telling(say):
            to = _to(known)
            return await self._made(known, target, tip, to.base, title, facts.body(to.template))

    async def _made(self, repo: Repo, branch: str, commit: str, base: str, title: str, body: str) -> Published:
        """Push, then create or update: each is looked at before it is done, so that a crash between them costs
        nothing.
        """
        from weft.sources.github.pull_request_text import pull_request_title
        from weft.sources.github.pull_requests import PullRequestAsk

        to = _to(repo)
        if branch == to.base:
            raise DefectError(f"`{branch}` is what pull requests go to: it is never pushed to")
        hub = await self._doors.door(to)
        await hub.push(self._git, Path(repo.path), branch, commit, self._environment)
        ask = PullRequestAsk(branch, base, pull_request_title(title), body, to.draft)
        made = await hub.pull_request(ask)
        return Published(PullRequestRef(made.number, made.url), made.created)

    async def _tell_issue(self, job: Job, to: PublishTo, made: Published) -> None:
        """Where settings ask for it: each says how it is to be, and is safe to repeat."""
        if made.pull_request is None or not is_tracked(job) or not (to.comment or to.label):
            return
        hub = await self._doors.door(to)
        number = int(job.key.id)
        if to.label:
            await hub.tracker.ensure_labels(number, add=[to.label])
        if to.comment:
            text = f"Weft made pull request #{made.pull_request.number} for this."
            await hub.tracker.ensure_comment(number, f"job:{job.key}", text)

    def _events(self, run: RunId) -> list[AnyEvent]:
        return [entry.event for entry in self._journal.read(run)]


def makes_pull_requests(repos: Iterable[Repo]) -> bool:
    return any(repo.publish is not None for repo in repos)


def _branch(job: Job) -> str:
    assert job.branch is not None
    return job.branch


def _to(repo: Repo) -> PublishTo:
    assert repo.publish is not None
    return repo.publish
