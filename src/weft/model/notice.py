"""What people are told of by webhook or command while they are away."""

from __future__ import annotations

from enum import Enum


class NoticeKind(Enum):
    RUN_ENDED = "run_ended"
    """A run is over, however it ended."""
    JOB_PARKED = "job_parked"
    """A job needs a person."""
    OUT_OF_BUDGET = "out_of_budget"
    """The first job of a run that no budget is left for."""
    OUT_OF_QUOTA = "out_of_quota"
    """An account's quota is used up; the run waits for its reset."""
