"""The summary at a run's end (RUN-15): data for stdout."""

from __future__ import annotations

import re
import shlex

from weft.board.durations import money_text, whole_duration_text
from weft.board.states import PhaseState
from weft.board.views import JobView, PhaseView, RunView
from weft.model.job import JobStatus
from weft.terminal.glyphs import UNICODE, Glyphs
from weft.terminal.lines import noun
from weft.terminal.merge_summary import merge_hints, merge_warnings
from weft.terminal.plain import pad, plain, width


def summary(view: RunView, glyphs: Glyphs = UNICODE) -> str:
    """Header, a row per job with what was kept below it, and what to look at next."""
    labels = {job.key: plain(view.label(job.key)) for job in view.jobs.values()}
    words = {job.key: status_word(view, job) for job in view.jobs.values()}
    label_width = max(map(width, labels.values()), default=0)
    word_width = max(map(width, words.values()), default=0)
    lines = [header(view, glyphs)]
    for key, job in view.jobs.items():
        head = f"{pad(labels[key], label_width)} {summary_mark(job, glyphs)}"
        if job.status is JobStatus.LOCKED:
            lines.append(f"{head} {plain(job.reason or words[key])}")  # `locked by PID 12345 (weft run 604)`
        else:
            lines.append(f"{head} {pad(words[key], word_width)}  {_details(view, job, glyphs)}".rstrip())
        lines.extend(f"{' ' * (label_width + 1)}{line}" for line in _kept(job))
    return "\n".join([*lines, *merge_warnings(view, glyphs), *_next(view)]) + "\n"


def header(view: RunView, glyphs: Glyphs = UNICODE) -> str:
    """`SUMMARY · 3 issues · 8m 12s · 2 passed · 1 locked`."""
    count = len(view.jobs)
    name = noun(view.mode).lower() + ("" if count == 1 else "s")
    ended = [f"{view.counts[status]} {_word(status)}" for status in JobStatus if view.counts.get(status)]
    left = count - view.ended
    parts = ["SUMMARY", f"{count} {name}", whole_duration_text(view.duration()), *ended]
    return f" {glyphs.dot} ".join([*parts, f"{left} unfinished"] if left else parts)


def status_word(view: RunView, job: JobView) -> str:
    """`no change`, `not run`: a status in words."""
    return view.shown_status(job).replace("_", " ")


def summary_mark(job: JobView, glyphs: Glyphs) -> str:
    return glyphs.heavy_tick if job.status is JobStatus.PASSED else glyphs.mark(job.status)


def phases_text(job: JobView, glyphs: Glyphs) -> str:
    """`spec → exec → qa`: those begun, with how often and a sign where one did not pass."""
    begun = [phase for phase in job.phases if phase.attempts]
    return f" {glyphs.arrow} ".join(_phase(phase, glyphs) for phase in begun)


def _phase(phase: PhaseView, glyphs: Glyphs) -> str:
    text = plain(phase.name)
    if phase.tries > 1:
        text += f" {glyphs.times}{phase.tries}"
    if phase.state is PhaseState.RUNNING:
        return f"{text} {glyphs.ellipsis}"
    return text if phase.state is PhaseState.PASSED else f"{text} {glyphs.cross}"


def _details(view: RunView, job: JobView, glyphs: Glyphs) -> str:
    parts = [phases_text(job, glyphs), _result(job, glyphs)]
    if job.begun is not None:
        parts.append(whole_duration_text(job.elapsed(view.worked())))
    if job.usage.sessions:
        parts.append(money_text(job.usage.cost_usd))
    if job.status is not JobStatus.PASSED:
        parts.append(plain(job.explained or ""))
    return f" {glyphs.dot} ".join(part for part in parts if part)


def _result(job: JobView, glyphs: Glyphs) -> str:
    """The pull request, or else the branch, with the one that it landed on."""
    if job.merged:
        return plain(f"{job.branch or job.commit or ''} {glyphs.arrow} {job.target}")
    return f"PR #{job.pull_request}" if job.pull_request is not None else plain(job.branch or "")


def _kept(job: JobView) -> list[str]:
    name = "workspace kept" if job.status else "workspace"
    kept = [f"{name}: {plain(job.workspace)}"] if job.workspace else []
    saved = [f"saved: {plain(ref)}" for ref in job.saved]
    problem = [f"problem: {plain(job.problem)}"] if job.problem else []
    return [*kept, *saved, *problem]


def _next(view: RunView) -> list[str]:
    """One line for the first job worth reading, and one for the first that went wrong."""
    jobs = view.jobs.values()
    good = next((job for job in jobs if job.status is JobStatus.PASSED and (job.branch or not job.job.task)), None)
    bad = next((job for job in jobs if job.status in _WRONG), None)
    hints = merge_hints(view) or ([f"next: weft diff {_word_of(good)}"] if good else [])
    if bad:
        hints.append(f"next: weft logs {view.run} {_word_of(bad)}")
    if any(job.status is None for job in jobs):
        hints.append("next: weft recover")
    return hints


def _word_of(job: JobView) -> str:
    """The job's key as a shell takes it for one word: a repo may be called anything."""
    key = plain(str(job.key))
    return key if _PLAIN_KEY.fullmatch(key) else shlex.quote(key)


def _word(status: JobStatus) -> str:
    return status.value.replace("_", " ")


_PLAIN_KEY = re.compile(r"[\w./#+-]+")
_WRONG = frozenset({JobStatus.FAILED, JobStatus.PARKED, JobStatus.NO_CHANGE, JobStatus.CANCELLED})
