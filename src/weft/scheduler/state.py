"""The scheduler's whole state: what replaying the journal gives."""

from __future__ import annotations

from collections import deque

from weft.errors import DefectError
from weft.model.ids import JobKey, RunId
from weft.model.plan import Plan
from weft.scheduler.jobrun import JobRun
from weft.scheduler.lanes import LaneRun, ReadyQueue


class AgentRun:
    """Sessions of one agent: how many may be open, how many are, who waits."""

    __slots__ = ("limit", "used", "waiting")

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self.used = 0
        self.waiting: deque[JobRun] = deque()

    @property
    def full(self) -> bool:
        return self.limit is not None and self.used >= self.limit


class State:
    """Mutable, changed only by `step`. One per run."""

    __slots__ = (
        "agents",
        "awaited_locks",
        "cap",
        "governor_cap",
        "governor_why",
        "halted",
        "in_flight",
        "jobs",
        "lanes",
        "over",
        "paused",
        "plan",
        "queue",
        "remaining",
        "run",
        "stopped_by",
        "timers",
    )

    def __init__(self, run: RunId) -> None:
        self.run = run
        self.plan: Plan | None = None
        self.jobs: dict[JobKey, JobRun] = {}
        self.lanes: dict[str, LaneRun] = {}
        self.agents: dict[str, AgentRun] = {}
        self.queue = ReadyQueue()
        self.cap = 0
        self.governor_cap: int | None = None
        self.governor_why = ""
        self.paused = False
        self.halted: str | None = None
        """Why nothing new starts any more; None while it may."""
        self.stopped_by: int | None = None
        self.in_flight = 0
        self.awaited_locks = 0
        """Jobs whose lock was asked for and not answered yet."""
        self.remaining = 0
        self.over = False
        self.timers: list[tuple[float, JobKey]] = []

    @property
    def effective_cap(self) -> int:
        """The smaller of the user's cap and the governor's; nothing while paused."""
        if self.paused:
            return 0
        return self.cap if self.governor_cap is None else min(self.cap, self.governor_cap)

    def job(self, key: JobKey) -> JobRun:
        try:
            return self.jobs[key]
        except KeyError:
            raise DefectError(f"an event names {key}, which is not part of run {self.run}") from None

    def snapshot(self) -> tuple[object, ...]:
        """Everything that counts, for comparing two states; the order inside heaps does not count."""
        return (
            self.run,
            self.plan,
            [job.snapshot() for job in self.jobs.values()],
            {name: lane.used for name, lane in self.lanes.items()},
            {name: (agent.used, [job.key for job in agent.waiting]) for name, agent in self.agents.items()},
            self.cap,
            self.governor_cap,
            self.paused,
            self.halted,
            self.stopped_by,
            self.in_flight,
            self.awaited_locks,
            self.remaining,
            self.over,
            sorted(self.timers),
        )
