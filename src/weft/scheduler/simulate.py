"""A plan in virtual time: the scheduler itself decides, everything it orders succeeds, and nothing is done."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from weft.model.job import JobStatus
from weft.model.plan import Plan
from weft.scheduler.virtual_world import Durations, GateTimes, VirtualWorld, Watch


class Simulation(msgspec.Struct, frozen=True):
    """What the run would come to."""

    makespan: float
    """From its start to the end of its last job, in seconds."""
    work: float
    """The seconds of all attempts together."""
    utilisation: float
    """Work in relation to what the cap would allow in that time."""
    peak: int
    """The most jobs in flight at once."""
    events: int
    """As many as the journal of such a run would hold: inputs and notes."""
    statuses: dict[JobStatus, int]


def simulate(
    plan: Plan, durations: Durations | None = None, *, gates: GateTimes | None = None, watch: Watch | None = None
) -> Simulation:
    """Without `durations`, each job takes its estimate, shared evenly by its phases; without `gates`, those of the
    merge queue take no time. `watch` is told every note with its time.
    """
    with _no_collections():
        return _played(plan, VirtualWorld(plan, durations or _shares(plan), gates or _no_time, watch))


def _played(plan: Plan, world: VirtualWorld) -> Simulation:
    world.run()
    most = world.now * plan.cap
    return Simulation(
        makespan=world.now,
        work=world.work,
        utilisation=world.work / most if most else 0.0,
        peak=world.peak,
        events=world.events,
        statuses=world.statuses(),
    )


def _shares(plan: Plan) -> Durations:
    phases = {pipeline.name: len(pipeline.phases) for pipeline in plan.pipelines}
    return lambda job, phase: job.estimate / phases[job.pipeline]


def _no_time(repo: str) -> float:
    return 0.0


@contextmanager
def _no_collections() -> Iterator[None]:
    """Nothing becomes garbage in cycles here, and looking for it would visit each job again and again. All is gone
    when they are on again, or the first one would visit each job after all.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
