"""Which run and which job the words on the command line mean."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from weft.assembly.history import History
from weft.errors import UsageError
from weft.model.ids import JobKey, RunId
from weft.model.spelling import closest
from weft.ports import RunRecord
from weft.settings.environment import Environment

MOST_NAMED = 10
"""Names listed in a message; the rest are counted."""


class Chosen(msgspec.Struct, frozen=True):
    """A job of a run."""

    record: RunRecord
    job: JobKey

    @property
    def run(self) -> RunId:
        return self.record.run


def run_named(history: History, text: str) -> RunRecord:
    """The run of that id."""
    records = history.records()
    for record in records:
        if record.run == text:
            return record
    raise UsageError(f"Unknown run `{text}`{_meant(text, [record.run for record in records])}", hint=_known(records))


def latest_run(history: History, environment: Environment) -> RunRecord | None:
    """The latest of the repo that the current folder is in, or else of all."""
    records = history.records()
    here = [record for record in records if is_here(record, environment)]
    return next(iter(here or records), None)


def run_or_latest(history: History, environment: Environment, text: str | None) -> RunRecord:
    record = run_named(history, text) if text is not None else latest_run(history, environment)
    if record is None:
        raise UsageError("No runs yet", hint="`weft run ISSUE` starts one, `weft demo` shows one")
    return record


def is_here(record: RunRecord, environment: Environment) -> bool:
    """Whether the current folder lies in a repo of the run."""
    return any(environment.folder.is_relative_to(Path(repo)) for repo in record.repos)


def job_named(keys: Iterable[JobKey], text: str) -> list[JobKey]:
    """Those that `101`, `#101`, `shop#101` or `acme/shop#101` may mean; more than one only over several repos."""
    known = list(keys)
    return [key for key in known if str(key) == text] or [key for key in known if _means(text, key)]


def job_of_run(history: History, record: RunRecord, text: str) -> Chosen:
    """The job in that very run."""
    keys = jobs_of(history, record)
    found = job_named(keys, text)
    if len(found) == 1:
        return Chosen(record, found[0])
    if found:
        raise _ambiguous(text, found)
    raise UsageError(f"Unknown job `{text}` in run {record.run}", hint=f"its jobs are {names(keys)}")


def job_of_any_run(history: History, environment: Environment, text: str) -> Chosen:
    """The job in the latest run under way that has it, else in the latest; the current repo's before others'."""
    records = history.records()
    for group in ([r for r in records if is_here(r, environment)], records):
        under_way = [record for record in group if record.ended_at is None and history.has_process(record.run)]
        found = _first_with(history, [*under_way, *group], text)
        if found is not None:
            return found
    known = {key: None for record in records for key in jobs_of(history, record)}
    hint = f"known are {names(known)}" if known else "no job was run yet; `weft run ISSUE` runs one"
    raise UsageError(f"Unknown job `{text}`", hint=hint)


def chosen_job(history: History, environment: Environment, text: str, run: str | None) -> Chosen:
    """As `--run` says, else wherever the job is."""
    if run is not None:
        return job_of_run(history, run_named(history, run), text)
    return job_of_any_run(history, environment, text)


def jobs_of(history: History, record: RunRecord) -> list[JobKey]:
    plan = history.plan(record.run)
    return [job.key for job in plan.jobs] if plan else []


def names(keys: Iterable[JobKey]) -> str:
    listed = [f"`{key}`" for key in keys]
    more = f" and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
    return ", ".join(listed[:MOST_NAMED]) + more


def _first_with(history: History, records: Iterable[RunRecord], text: str) -> Chosen | None:
    for record in records:
        found = job_named(jobs_of(history, record), text)
        if len(found) > 1:
            raise _ambiguous(text, found)
        if found:
            return Chosen(record, found[0])
    return None


def _means(text: str, key: JobKey) -> bool:
    if text.removeprefix("#") == key.id:
        return True
    repo, mark, ident = text.rpartition("#")
    return bool(mark) and ident == key.id and repo.rpartition("/")[2] == key.repo


def _ambiguous(text: str, found: list[JobKey]) -> UsageError:
    return UsageError(f"`{text}` is a job of several repos", hint=f"name one of {names(found)}")


def _meant(text: str, known: list[RunId]) -> str:
    near = closest(text, known)
    return f", did you mean `{near}`?" if near else ""


def _known(records: list[RunRecord]) -> str:
    if not records:
        return "no run was started yet"
    listed = ", ".join(f"`{record.run}`" for record in records[:MOST_NAMED])
    more = f" and {len(records) - MOST_NAMED} older" if len(records) > MOST_NAMED else ""
    return f"known are {listed}{more}; `weft status --all` shows them"
