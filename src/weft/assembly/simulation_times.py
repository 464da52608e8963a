"""How long things take in a simulation: as the user says, as they took, as history has it, or a plain assumption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import partial
from zlib import crc32

import msgspec

from weft.board.estimates import PhaseEstimate, phase_estimates
from weft.board.figures import median
from weft.board.views import RunView
from weft.model.ids import JobKey
from weft.model.job import Job
from weft.model.phase import Phase, StepKind
from weft.model.plan import Plan

ASSUMED = 600.0
"""Seconds of a phase that nothing is known about."""
ASSUMED_GATES = 60.0
"""Seconds of the merge queue's gates, where none were run yet."""
_NOTHING: Mapping[str, PhaseEstimate] = {}


class Source(Enum):
    """Where a duration is from, the first that knows it."""

    SAID = "said"
    """By the user, on the command line or in the plan."""
    RUN = "run"
    """It took so long in the run that is simulated."""
    HISTORY = "history"
    """The median of earlier attempts that passed."""
    ASSUMED = "assumed"
    """Nothing is known."""


class Model(msgspec.Struct, frozen=True):
    """What the user says; seconds."""

    phase: float | None = None
    """Of every phase that nothing is known about."""
    phases: Mapping[str, float] = {}
    """Of these, whatever history says."""
    job: float | None = None
    """Of every job, shared evenly by its phases."""
    gates: float | None = None
    """Of the gates on a merged tree."""
    spread: float = 0.0
    """Each attempt takes up to this share longer or shorter."""
    seed: int = 1


class Expected(msgspec.Struct, frozen=True, gc=False):
    seconds: float
    source: Source
    cost_usd: float | None
    """None: unknown."""


class Times:
    """What to expect of each phase of each job of a plan."""

    def __init__(
        self,
        plan: Plan,
        past: Sequence[RunView],
        model: Model,
        *,
        said: Mapping[JobKey, float] | None = None,
        run: RunView | None = None,
    ) -> None:
        self.model = model
        self._said = said or {}
        self._happened = _happened(run) if run else {}
        self._counts = {pipeline.name: len(pipeline.phases) for pipeline in plan.pipelines}
        self._history = {repo.name: phase_estimates(past, repo.path) for repo in plan.repos}
        self._anywhere = phase_estimates(past)
        self._gates = {repo.name: _gate_seconds(past, repo.name) for repo in plan.repos}
        self._gated = {repo.name: bool(repo.gates) for repo in plan.repos}

    def seconds(self, job: Job, phase: Phase) -> float:
        expected = self.expected(job, phase).seconds
        return expected * self._factor(job.key, phase.name) if self.model.spread else expected

    def _factor(self, key: JobKey, phase: str) -> float:
        """The same for the same attempt whatever the cap, so that caps can be compared."""
        chance = crc32(f"{self.model.seed}/{key}/{phase}".encode(errors="surrogatepass")) / 0xFFFFFFFF
        return 1.0 + self.model.spread * (2.0 * chance - 1.0)

    def expected(self, job: Job, phase: Phase) -> Expected:
        happened = self._happened.get((job.key, phase.name))
        history = self._history.get(job.key.repo, _NOTHING).get(phase.name) or self._anywhere.get(phase.name)
        cost = happened.cost_usd if happened else _cost(phase, history)
        say = partial(Expected, cost_usd=cost)
        if phase.name in self.model.phases:
            return say(self.model.phases[phase.name], Source.SAID)
        if self.model.job is not None:
            return say(self.model.job / self._counts[job.pipeline], Source.SAID)
        if happened:
            return happened
        if job.key in self._said:
            return say(self._said[job.key] / self._counts[job.pipeline], Source.SAID)
        if history:
            return say(history.seconds, Source.HISTORY)
        if self.model.phase is not None:
            return say(self.model.phase, Source.SAID)
        return say(ASSUMED, Source.ASSUMED)

    def gates(self, repo: str) -> float:
        return self.expected_gates(repo).seconds

    def expected_gates(self, repo: str) -> Expected:
        """Of the merge queue of a repo."""
        if self.model.gates is not None:
            return Expected(self.model.gates, Source.SAID, 0.0)
        if known := self._gates.get(repo):
            return Expected(known, Source.HISTORY, 0.0)
        return Expected(ASSUMED_GATES if self._gated.get(repo) else 0.0, Source.ASSUMED, 0.0)


def _cost(phase: Phase, history: PhaseEstimate | None) -> float | None:
    """Gates alone cost nothing; a session of which nothing is known costs nobody knows what."""
    if StepKind.SESSION not in phase.steps:
        return 0.0
    return history.cost_usd if history else None


def _happened(run: RunView) -> dict[tuple[JobKey, str], Expected]:
    """All attempts at a phase together: the simulation makes one."""
    found: dict[tuple[JobKey, str], Expected] = {}
    for job in run.jobs.values():
        for phase in job.phases:
            ended = [attempt for attempt in phase.attempts if attempt.duration is not None]
            if not ended:
                continue
            costs = [attempt.usage.cost_usd for attempt in ended if attempt.usage.sessions]
            known = [cost for cost in costs if cost is not None]
            cost = sum(known) if len(known) == len(costs) else None
            seconds = sum(attempt.duration or 0.0 for attempt in ended)
            found[job.key, phase.name] = Expected(seconds, Source.RUN, cost)
    return found


def _gate_seconds(past: Sequence[RunView], repo: str) -> float | None:
    """The median of what all gates of an attempt took together."""
    taken = [
        sum(gate.duration for gate in attempt.gates)
        for view in past
        for job in view.jobs.values()
        if job.key.repo == repo
        for phase in job.phases
        for attempt in phase.attempts
        if attempt.gates
    ]
    return median(taken) if taken else None
