"""The hand-off of a wave: for each repo a text that says what its integration branch holds (WAVE-11).

Its body is what a reviewer of that branch wants to know: the repo's own issues, the checks that Weft ran on exactly the
tree that landed, and what is not in it and why.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from weft.board.durations import duration_text
from weft.board.markdown import markdown
from weft.board.views import JobView, RunView
from weft.model.events import AnyEvent, GatesEnded, MergeGated, RunStarted
from weft.model.ids import JobKey
from weft.model.outcome import GateResult
from weft.model.plan import Plan, Repo


class Checks(msgspec.Struct, frozen=True):
    """What was run on one job's work, the last time."""

    results: tuple[GateResult, ...] = ()
    flaky: tuple[str, ...] = ()
    merged: bool = False
    """On the merged tree; else on the job's own branch."""


def checks_of(events: Iterable[AnyEvent]) -> dict[JobKey, Checks]:
    """Of each job; those on a merged tree count more than those on its branch alone."""
    found: dict[JobKey, Checks] = {}
    for event in events:
        match event:
            case RunStarted():
                found = {}
            case MergeGated(results=results, flaky=flaky):
                found[event.attempt.job] = Checks(results, flaky, merged=True)
            case GatesEnded(results=results) if results:
                found[event.attempt.job] = Checks(results)
            case _:
                pass
    return found


def handoff(plan: Plan, repo: Repo, view: RunView, checks: dict[JobKey, Checks]) -> str:
    """Markdown."""
    jobs = [job for job in view.jobs.values() if job.key.repo == repo.name]
    done = [job for job in jobs if job.status is not None and job.status.done]
    left = [job for job in jobs if job not in done]
    parts = [
        _head(plan, repo, view, len(done), len(jobs)),
        _section("Issues", [line for job in done for line in _issue(job)] or ["None."]),
        _section("Checks", _checks(repo, done, checks)),
        _section("Not in it", [_missing(job) for job in left]) if left else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(plan: Plan, repo: Repo, view: RunView, done: int, total: int) -> str:
    title = f"# {markdown(plan.name or 'Wave')}: {markdown(repo.name)}"
    where = f"Branch `{repo.merge.target}`, " if repo.merge else ""
    return f"{title}\n\n{where}made from `{repo.base[:12]}` by run `{view.run}`: {done} of {total} issues are done."


def _section(title: str, lines: list[str]) -> str:
    return f"## {title}\n\n" + "\n".join(lines)


def _issue(job: JobView) -> list[str]:
    """`Issue: #N` for issues with a number, so that others find it; a prompt has none."""
    name = f"Issue: #{job.key.id}" if job.key.id.isdigit() else f"Prompt: {markdown(job.key.id)}"
    how = (
        ""
        if job.merged or job.status is None
        else f" ({job.status.value}: {markdown(job.reason)})"
        if job.reason
        else ""
    )
    return [f"- {name} {markdown(job.job.title)}{how}"]


def _checks(repo: Repo, done: list[JobView], checks: dict[JobKey, Checks]) -> list[str]:
    if not repo.gates:
        return ["No gates are set in this repo: nothing was run on what landed."]
    commands = [f"- {markdown(gate.name)}: `{gate.command}`" for gate in repo.gates]
    rows = [_check_row(job, checks[job.key]) for job in done if job.key in checks]
    table = ["", "| issue | result |", "| --- | --- |", *rows] if rows else []
    return [*commands, *table]


def _check_row(job: JobView, checks: Checks) -> str:
    said = ", ".join(_result(result) for result in checks.results) or "none were run"
    flaky = f"; flaky: {', '.join(map(markdown, checks.flaky))}" if checks.flaky else ""
    where = "on the merged tree" if checks.merged else "on its branch"
    return f"| #{markdown(job.key.id)} | {said} {where}{flaky} |"


def _result(result: GateResult) -> str:
    how = "passed" if result.passed else f"failed with exit status {result.exit_status}"
    return f"{markdown(result.name)} {how} ({duration_text(result.duration)})"


def _missing(job: JobView) -> str:
    how = job.status.value.replace("_", " ") if job.status else job.progress.value
    why = f": {markdown(job.explained)}" if job.explained else ""
    branch = f"; its work is on `{job.branch}`" if job.branch else ""
    return f"- #{markdown(job.key.id)} {markdown(job.job.title)}: {how}{why}{branch}"
