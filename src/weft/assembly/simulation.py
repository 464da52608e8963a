"""Plans in virtual time: what they would come to at one cap or at several (PLAN-2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from weft.assembly.simulation_times import Source, Times
from weft.model.events import JobAdmitted, JobEnded, JobQueued, Note
from weft.model.ids import JobKey
from weft.model.job import Job
from weft.model.phase import Phase
from weft.model.plan import Plan
from weft.scheduler.graph import longest_paths
from weft.scheduler.simulate import Simulation, simulate

ENOUGH = 1.01
"""A cap that is not a hundredth slower than the best is enough."""


class JobSpan(msgspec.Struct, gc=False):
    """When a job was at work, in seconds from the start of the run."""

    job: Job
    ready: float
    start: float
    freed: float
    """When its slot was free again."""
    end: float


class LaneLoad(msgspec.Struct, frozen=True):
    name: str
    jobs: int
    busy: float
    """Seconds of its jobs with a slot."""
    waiting: float
    """Seconds of its jobs ready and without one."""
    start: float
    end: float


class Played(msgspec.Struct, frozen=True):
    """A plan played through at one cap."""

    cap: int
    result: Simulation
    spans: Sequence[JobSpan]
    """As they started."""
    waiting: float

    @property
    def wait(self) -> float:
        """Of a job, on average."""
        return self.waiting / len(self.spans) if self.spans else 0.0


class Cost(msgspec.Struct, frozen=True):
    """`usd` sums what is known; the phases of unknown cost are counted, never taken for nothing."""

    usd: float
    known: int
    unknown: int


class PhaseTime(msgspec.Struct, frozen=True):
    """Where the durations of a phase are from."""

    phase: str
    source: Source
    jobs: int
    seconds: float
    """On average."""


class Bound(msgspec.Struct, frozen=True):
    """No cap makes it faster than this."""

    seconds: float
    lane: str | None
    """The lane whose jobs take so long one after the other; None: the longest path of dependencies does."""


class _Spans:
    """Watches a simulation."""

    def __init__(self, plan: Plan) -> None:
        self._jobs = {job.key: job for job in plan.jobs}
        self._open: dict[JobKey, JobSpan] = {}
        self._ends: dict[JobKey, float] = {}
        self.spans: list[JobSpan] = []

    def __call__(self, at: float, note: Note) -> None:
        match note:
            case JobAdmitted():
                self._begin(at, note.job)
            case JobQueued():
                self._open[note.job].freed = at
            case JobEnded():
                self._end(at, note.job)

    def _begin(self, at: float, key: JobKey) -> None:
        job = self._jobs[key]
        ready = max((self._ends[need] for need in job.waits_for), default=0.0) if job.depends_on or job.after else 0.0
        span = self._open[key] = JobSpan(job, ready, at, -1.0, -1.0)
        self.spans.append(span)

    def _end(self, at: float, key: JobKey) -> None:
        self._ends[key] = at
        span = self._open.pop(key, None)
        if span is not None:
            span.end = at
            span.freed = at if span.freed < 0 else span.freed


def play(plan: Plan, times: Times, cap: int) -> Played:
    plan = msgspec.structs.replace(plan, cap=cap)
    watch = _Spans(plan)
    result = simulate(plan, times.seconds, gates=times.gates, watch=watch)
    return Played(cap, result, watch.spans, sum(span.start - span.ready for span in watch.spans))


def enough(played: Sequence[Played]) -> Played:
    """The smallest cap that is about as fast as the fastest."""
    best = min(one.result.makespan for one in played)
    return min((one for one in played if one.result.makespan <= best * ENOUGH), key=lambda one: one.cap)


def lanes_of(played: Played) -> list[LaneLoad]:
    """The busiest first."""
    by_lane: dict[str, list[JobSpan]] = {}
    for span in played.spans:
        by_lane.setdefault(span.job.lane, []).append(span)
    lanes = [
        LaneLoad(
            name,
            len(spans),
            sum(span.freed - span.start for span in spans),
            sum(span.start - span.ready for span in spans),
            min(span.start for span in spans),
            max(span.end for span in spans),
        )
        for name, spans in by_lane.items()
    ]
    return sorted(lanes, key=lambda lane: -lane.busy)


def cost_of(played: Played, plan: Plan, times: Times) -> Cost:
    """The same at every cap."""
    costs = [times.expected(job, phase).cost_usd for job in _begun(played) for phase in _phases(plan, job)]
    known = [cost for cost in costs if cost is not None]
    return Cost(sum(known), len(known), len(costs) - len(known))


def phase_times(played: Played, plan: Plan, times: Times) -> list[PhaseTime]:
    """In the order of the pipelines."""
    sums: dict[tuple[str, Source], tuple[int, float]] = {}
    for job in _begun(played):
        for phase in _phases(plan, job):
            expected = times.expected(job, phase)
            count, total = sums.get((phase.name, expected.source), (0, 0.0))
            sums[phase.name, expected.source] = (count + 1, total + expected.seconds)
    return [PhaseTime(name, source, count, total / count) for (name, source), (count, total) in sums.items()]


def bound_of(played: Played, plan: Plan, times: Times) -> Bound:
    """By the graph, or by a lane that is too narrow; what merging adds is not counted in."""
    begun = {job.key: job for job in _begun(played)}
    lengths = {job.key: sum(times.seconds(job, phase) for phase in _phases(plan, job)) for job in begun.values()}
    jobs = [
        msgspec.structs.replace(
            job,
            estimate=lengths[job.key],
            depends_on=tuple(need for need in job.depends_on if need in begun),
            after=tuple(need for need in job.after if need in begun),
        )
        for job in begun.values()
    ]
    path = Bound(max(longest_paths(jobs).values(), default=0.0), None)
    widths = {lane.name: lane.width for lane in plan.lanes}
    narrow = [(lane, width) for lane in lanes_of(played) if (width := widths.get(lane.name, 1))]
    lanes = [Bound(lane.busy / width, lane.name) for lane, width in narrow]
    return max([path, *lanes], key=lambda bound: bound.seconds)


def _begun(played: Played) -> Iterable[Job]:
    return (span.job for span in played.spans)


def _phases(plan: Plan, job: Job) -> tuple[Phase, ...]:
    return plan.pipeline(job.pipeline).phases
