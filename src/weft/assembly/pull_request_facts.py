"""What a pull request tells, from a run's journal: what was done, the checks with their results, what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from weft.board.handoff import checks_of
from weft.board.views import JobView, RunView
from weft.model.events import AnyEvent, LandingEnded, SessionEnded
from weft.model.ids import JobKey
from weft.model.job import Job
from weft.model.outcome import GateResult
from weft.model.plan import Plan, Repo
from weft.model.usage import NO_USAGE, Usage


class Facts(msgspec.Struct, frozen=True):
    """Without anything of GitHub's, which takes long to load."""

    run: str
    issues: tuple[str, ...]
    """Numbers on the tracker."""
    closes: bool
    summary: str
    gates: tuple[GateResult, ...]
    usage: Usage
    seconds: float
    again: str
    left: tuple[tuple[str, str], ...] = ()
    """Issues that are not part of it, and why."""

    def body(self, template: str) -> str:
        from weft.pipelines.template import Template
        from weft.sources.github.pull_request_text import IssueRole, LeftOut, PullRequestFacts, pull_request_body

        facts = PullRequestFacts(
            issues=self.issues,
            role=IssueRole.CLOSED if self.closes else IssueRole.NAMED,
            run=self.run,
            summary=self.summary,
            gates=self.gates,
            usage=self.usage,
            seconds=self.seconds,
            left=tuple(LeftOut(issue, why) for issue, why in self.left),
            again=self.again,
        )
        return pull_request_body(facts, Template("github.template", template) if template else None)


def is_tracked(job: Job) -> bool:
    """Whether it is an issue of the tracker; files and prompts may have a number too."""
    return job.origin.startswith(("https://", "http://")) and job.key.id.isdecimal()


def job_facts(job: Job, view: RunView, events: Sequence[AnyEvent]) -> Facts:
    """Of one job: its own pull request closes its issue."""
    known = view.jobs.get(job.key)
    checks = checks_of(events).get(job.key)
    return Facts(
        run=view.run,
        issues=(job.key.id,) if is_tracked(job) else (),
        closes=True,
        summary=_said(job.key, events),
        gates=checks.results if checks else (),
        usage=known.usage if known else NO_USAGE,
        seconds=known.elapsed(view.worked()) if known else 0.0,
        again=f"weft run {job.key.id} --force",
    )


def handoff_facts(plan: Plan, repo: Repo, view: RunView, events: Sequence[AnyEvent]) -> Facts:
    """Of a repo's target: the issues it holds, the checks on exactly that tree, and what is not in it."""
    jobs = [job for job in view.jobs.values() if job.key.repo == repo.name]
    done = [job for job in jobs if job.status is not None and job.status.done]
    return Facts(
        run=view.run,
        issues=tuple(job.key.id for job in done if is_tracked(job.job)),
        closes=False,
        summary="\n".join(f"- {job.job.title}" for job in done),
        gates=_checks_of_tip(repo, events),
        usage=_sum(job.usage for job in jobs),
        seconds=view.duration(),
        again=f"weft wave run {plan.name}",
        left=tuple((job.key.id, _why(job)) for job in jobs if job not in done),
    )


def handoff_title(plan: Plan, repo: Repo) -> str:
    return f"{plan.name}: {repo.name}" if plan.name else repo.name


def _said(key: JobKey, events: Iterable[AnyEvent]) -> str:
    """What the author of the last change said of it."""
    said = ""
    for event in events:
        if isinstance(event, SessionEnded) and event.attempt.job == key and not event.outcome.failure:
            outcome = event.outcome
            if outcome.verdict is None and outcome.text.strip() and (outcome.changed or not said):
                said = outcome.text
    return said


def _checks_of_tip(repo: Repo, events: Sequence[AnyEvent]) -> tuple[GateResult, ...]:
    """Of the branch that landed last: the gates ran on the tree that the target has now."""
    landed = [event.attempt.job for event in events if isinstance(event, LandingEnded) and event.landed]
    last = next((key for key in reversed(landed) if key.repo == repo.name), None)
    checks = checks_of(events).get(last) if last else None
    return checks.results if checks else ()


def _why(job: JobView) -> str:
    how = job.status.value.replace("_", " ") if job.status else job.progress.value
    return f"{how}: {job.explained}" if job.explained else how


def _sum(usages: Iterable[Usage]) -> Usage:
    total = NO_USAGE
    for usage in usages:
        total += usage
    return total
