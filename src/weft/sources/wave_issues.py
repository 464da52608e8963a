"""The jobs of a plan file as issues: looked up in their repo's source, or made from a prompt."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from weft.model.ids import JobKey
from weft.model.spelling import closest
from weft.pipelines.duration import parse_duration
from weft.ports import Issue, IssueSource
from weft.sources.dependencies import normal
from weft.sources.prompt import prompt_issue
from weft.sources.task_check import Problems
from weft.sources.wave_fields import WaveJob
from weft.sources.wave_file import PlanFile, refuse


class Chosen(msgspec.Struct, frozen=True):
    """The file's jobs, in its order."""

    issues: dict[JobKey, Issue]
    estimates: dict[JobKey, float]
    """Seconds, of those that say so."""


def chosen_issues(plan: PlanFile, where: str, sources: Mapping[str, IssueSource]) -> Chosen:
    """`sources`: by repo. Raises UsageError with every job that cannot be found or is there twice."""
    problems = Problems(where)
    chosen = Chosen({}, {})
    first: dict[JobKey, int] = {}
    for number, job in enumerate(plan.jobs):
        issue = _issue(job, number, sources, problems)
        if issue is None:
            continue
        key = JobKey(job.repo, issue.id)
        if first.setdefault(key, number) != number:
            problems.add(f"jobs[{number}]", f": is {key}, as jobs[{first[key]}] is", number)
        chosen.issues[key] = issue
        if job.estimate is not None:
            try:
                chosen.estimates[key] = _seconds(job.estimate)
            except ValueError as error:
                problems.add(f"jobs[{number}].estimate", f": {error}", number)
    refuse(problems)
    return chosen


def _issue(job: WaveJob, number: int, sources: Mapping[str, IssueSource], problems: Problems) -> Issue | None:
    if job.repo not in sources:
        near = closest(job.repo, sources)
        guess = f", did you mean `{near}`?" if near else ""
        known = ", ".join(f"`{name}`" for name in sources)
        problems.wrong(f"jobs[{number}].repo", job.repo, f"one of {known}{guess}", number)
        return None
    if job.issue is None:
        return _altered(_prompt(job), job)
    found = sources[job.repo].find(str(job.issue))
    if found is None:
        problems.wrong(f"jobs[{number}].issue", job.issue, f"an issue of `{job.repo}`", number)
        return None
    return _altered(found, job)


def _prompt(job: WaveJob) -> Issue:
    issue = prompt_issue(job.prompt or "")
    return msgspec.structs.replace(issue, id=job.id or issue.id, origin="plan file")


def _altered(issue: Issue, job: WaveJob) -> Issue:
    """What the file says counts more; what must be done first adds up."""
    needs = (_reference(need) for need in job.depends_on or ())
    return msgspec.structs.replace(
        issue,
        title=job.title or issue.title,
        depends_on=tuple(dict.fromkeys((*issue.depends_on, *needs))),
        touches=issue.touches if job.touches is None else job.touches,
        priority=issue.priority if job.priority is None else job.priority,
    )


def _reference(written: int | str) -> str:
    text = str(written).removeprefix("#")
    try:
        return normal(text)
    except ValueError:
        return text  # the name of a prompt


def _seconds(estimate: float | str) -> float:
    return parse_duration(estimate) if isinstance(estimate, str) else float(estimate)
