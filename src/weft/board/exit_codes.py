"""The exit code that a run's end comes to.

- A signal that ended the run goes before everything: 130 for SIGINT, 143 for any other.
- `failed`, `parked` and `cancelled` are failures (1). So is `no_change`, but for projects, where finding nothing to do
  is a success.
- `passed` and `skipped` are successes.
- `locked` alone neither fails a run nor counts as done: it decides only when nothing else was there (3).
- `not_run` follows from something else. Where a failure was the cause, that failure gives the 1. Where nothing but
  locks kept the whole run from starting, it is 3. Else (a dependency outside the run is not done, or a lock stopped a
  chain halfway) work that was asked for is missing, and that is a 1: 0 means that all that was asked succeeded.
- Jobs that ended for want of a budget or a quota, refused or stopped by it, are no failures: where nothing else failed
  they make it a 4, whatever was not run because of them.
- No job at all: 0, there was nothing to do.
"""

from __future__ import annotations

from collections.abc import Iterable

from weft.errors import ExitCode
from weft.model.job import JobStatus
from weft.model.plan import Mode

SIGINT = 2

_FAILURES = frozenset({JobStatus.FAILED, JobStatus.PARKED, JobStatus.CANCELLED})
_REFUSED = frozenset({JobStatus.LOCKED, JobStatus.NOT_RUN})


def exit_code(
    mode: Mode, statuses: Iterable[JobStatus], stopped_by: int | None = None, *, short: bool = False
) -> ExitCode:
    """`statuses`: of the jobs, each at least once; how often does not matter. `short`: whether there are others that
    ended for want of a budget or a quota.
    """
    if stopped_by is not None:
        return ExitCode.INTERRUPTED if stopped_by == SIGINT else ExitCode.TERMINATED
    seen = frozenset(statuses)
    if any(is_failure(mode, status) for status in seen):
        return ExitCode.FAILED
    if short:
        return ExitCode.BUDGET
    if JobStatus.LOCKED in seen and seen <= _REFUSED:
        return ExitCode.LOCKED
    return ExitCode.FAILED if JobStatus.NOT_RUN in seen else ExitCode.OK


def is_failure(mode: Mode, status: JobStatus) -> bool:
    """Whether a job that ended so fails the run by itself."""
    if status is JobStatus.NO_CHANGE:
        return mode is not Mode.PROJECTS
    return status in _FAILURES
