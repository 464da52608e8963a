"""What runs, jobs and phases are at a moment, as every front end names it."""

from __future__ import annotations

from enum import Enum


class RunStatus(Enum):
    """The `status` of a run.

    Under way: `running`. Its process is gone and it never ended: `interrupted`, which `weft recover` mends. Ended:
    `passed` when everything asked for succeeded (exit 0), `locked` when every job was held by others (exit 3),
    `cancelled` when a signal ended it (exit 130, 143), else `failed`.
    """

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    PASSED = "passed"
    FAILED = "failed"
    LOCKED = "locked"
    CANCELLED = "cancelled"


class JobProgress(Enum):
    """Where a job stands that has not ended; how it ended is its `JobStatus`."""

    WAITING = "waiting"
    """For a slot, its lane, a dependency, or the time of a retry."""
    RUNNING = "running"
    QUEUED = "queued"
    """It passed and stands in the merge queue."""
    PUBLISHING = "publishing"
    """It passed and its pull request is being made."""
    INTERRUPTED = "interrupted"
    """It ran when its run's process died."""


class PhaseState(Enum):
    NOT_RUN = "not_run"
    RUNNING = "running"
    RETRYING = "retrying"
    """An attempt failed in a way that passes; another will follow."""
    PASSED = "passed"
    FAILED = "failed"
    LOST = "lost"
    """Its attempt was under way when Weft died."""
    CANCELLED = "cancelled"
    CONTINUED = "continued"
    """Its session was ended at its checkpoint; a fresh one goes on."""
