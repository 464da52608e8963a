"""What a wave would come to: order, levels, critical path, and how long it takes at its cap (WAVE-8)."""

from __future__ import annotations

import msgspec

from weft.assembly.expectation import Timed, makespan
from weft.assembly.history import History
from weft.assembly.outlook import Outlook, outlook
from weft.model.plan import Plan


class WaveOutlook(msgspec.Struct, frozen=True):
    plan: Plan
    found: Outlook
    timed: bool
    """Whether `makespan` and `work` are seconds; if not, a job counts as one."""
    makespan: float
    work: float


def wave_outlook(wave: Timed, history: History) -> WaveOutlook:
    plan = wave.plan
    found = outlook(plan, history.past({repo.path for repo in plan.repos}))
    work = sum(job.estimate for job in plan.jobs if job.key not in found.ended)
    return WaveOutlook(plan, found, wave.in_seconds, makespan(plan), work)
