"""The scheduler's whole state: what replaying the journal gives."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from weft.errors import DefectError
from weft.model.gauges import LimitSource
from weft.model.ids import JobKey, RunId
from weft.model.plan import Plan
from weft.scheduler.accounts import Account
from weft.scheduler.apart import Apart
from weft.scheduler.jobrun import JobRun
from weft.scheduler.lanes import LaneRun, ReadyQueue
from weft.scheduler.ledger import Ledger
from weft.scheduler.stands import Limit, MachineStand, Returning, UsageStand
from weft.scheduler.states import JobState

if TYPE_CHECKING:
    from weft.scheduler.handoffs import HandoffRun
    from weft.scheduler.merge_queue import MergeQueue


class AgentRun:
    """Sessions of one agent: how many may be open, how many are, who waits."""

    __slots__ = ("account", "fallback", "limit", "used", "waiting")

    def __init__(self, limit: int | None, account: Account, fallback: tuple[str, ...] = ()) -> None:
        self.limit = limit
        self.account = account
        self.fallback = fallback
        """Agents that may do its sessions while its account is closed."""
        self.used = 0
        self.waiting: deque[JobRun] = deque()

    @property
    def full(self) -> bool:
        return self.account.full or (self.limit is not None and self.used >= self.limit)

    def next_waiting(self) -> list[JobRun]:
        """Those that there is room for, in the order in which they came; they wait no longer."""
        found: list[JobRun] = []
        while self.waiting and self._room(len(found)):
            waiting = self.waiting.popleft()
            if waiting.state is JobState.AGENT_FULL:
                found.append(waiting)
        return found

    def _room(self, more: int) -> bool:
        throttle = self.account.throttle
        within = throttle is None or self.account.open + more < throttle
        return within and (self.limit is None or self.used + more < self.limit)


class State:
    """Mutable, changed only by `step`. One per run."""

    __slots__ = (
        "accounts",
        "agents",
        "apart",
        "awaited_locks",
        "cap",
        "governor_cap",
        "governor_why",
        "halted",
        "handoffs",
        "in_flight",
        "jobs",
        "lanes",
        "ledger",
        "limits",
        "machine",
        "over",
        "paused",
        "plan",
        "queue",
        "queues",
        "remaining",
        "returning",
        "run",
        "stopped_by",
        "timers",
        "unsettled",
        "usage",
    )

    def __init__(self, run: RunId) -> None:
        self.run = run
        self.plan: Plan | None = None
        self.jobs: dict[JobKey, JobRun] = {}
        self.lanes: dict[str, LaneRun] = {}
        self.agents: dict[str, AgentRun] = {}
        self.accounts: dict[str, Account] = {}
        self.queue = ReadyQueue()
        self.apart = Apart(self.queue)
        self.cap = 0
        self.governor_cap: int | None = None
        self.governor_why = ""
        self.limits: dict[LimitSource, Limit] = {}
        """Of each who limits; the smallest is the governor's cap."""
        self.ledger: Ledger | None = None
        """None: no budget is set."""
        self.usage: UsageStand | None = None
        """None: not read yet."""
        self.machine = MachineStand()
        self.returning: Returning | None = None
        """While a run comes back after a quota's reset, or waits for it."""
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
        self.queues: dict[str, MergeQueue] = {}
        """Merge queues, by repo."""
        self.unsettled: dict[str, MergeQueue] = {}
        """Those that the step under way touched; empty between steps."""
        self.handoffs: dict[str, HandoffRun] = {}
        """Of repos whose target gets a pull request at the end."""

    @property
    def effective_cap(self) -> int:
        """The smaller of the user's cap and the governor's; nothing while paused."""
        if self.paused:
            return 0
        return self.cap if self.governor_cap is None else min(self.cap, self.governor_cap)

    @property
    def handing_off(self) -> bool:
        """Whether the run's end waits for a hand-off."""
        return any(handoff.pending for handoff in self.handoffs.values())

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
            [account.snapshot() for account in self.accounts.values()],
            self.cap,
            self.governor_cap,
            dict(self.limits),
            self.ledger.snapshot() if self.ledger is not None else None,
            self.usage,
            self.machine,
            self.returning,
            self.paused,
            self.halted,
            self.stopped_by,
            self.in_flight,
            self.awaited_locks,
            self.remaining,
            self.over,
            sorted(self.timers),
            self.apart.snapshot(),
            [queue.snapshot() for queue in self.queues.values()],
            [handoff.snapshot() for handoff in self.handoffs.values()],
        )
