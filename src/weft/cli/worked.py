"""The work of the job that the command line means: of the latest run that really worked on it."""

from __future__ import annotations

from weft.assembly.history import History
from weft.assembly.work_of_job import Work, work_of
from weft.cli.chosen import chosen_job, job_named, jobs_of
from weft.errors import UsageError
from weft.settings.environment import Environment


def chosen_work(history: History, environment: Environment, text: str, run: str | None) -> Work:
    """A run that skipped the job says nothing of its work: then an earlier one is meant, unless `--run` names it."""
    chosen = chosen_job(history, environment, text, run)
    runs = [chosen.record]
    if run is None:
        same_repo = set(chosen.record.repos)
        runs += [record for record in history.records() if same_repo.intersection(record.repos)]
    for record in runs:
        keys = job_named(jobs_of(history, record), str(chosen.job))
        work = work_of(history, record.run, keys[0]) if keys else None
        if work is not None:
            return work
    raise UsageError(f"{chosen.job} has not been worked on", hint=f"`weft why {chosen.job}` says how it stands")
