"""Lanes, and which job goes next: heaps, so that every question costs O(log n)."""

from __future__ import annotations

from heapq import heappop, heappush

from weft.scheduler.jobrun import JobRun
from weft.scheduler.states import JobState


class LaneRun:
    """A track with a width, the jobs in it and the ranks of the ready jobs that wait for it."""

    __slots__ = ("follows_cap", "name", "offered", "ready", "used", "width")

    def __init__(self, name: str, width: int, *, follows_cap: bool = False) -> None:
        self.name = name
        self.width = width
        self.follows_cap = follows_cap
        """Whether its width is the cap, whatever that is set to."""
        self.used = 0
        self.ready: list[int] = []
        self.offered: int | None = None
        """The rank it has on offer: one offer at a time, else they pile up with every job that ends."""


class ReadyQueue:
    """Offers the first job of each lane with room, best one first: a slot is only ever taken by one that can run now.

    Jobs are known by their ranks, which are places in `jobs`: heaps of numbers are small and quick. What was offered
    may be out of date when it is taken up (cancelled, or its lane full); then it is passed over.
    """

    __slots__ = ("jobs", "offers", "returning")

    def __init__(self) -> None:
        self.jobs: list[JobRun] = []
        """By rank."""
        self.offers: list[int] = []
        self.returning: list[int] = []

    def push(self, job: JobRun) -> None:
        heappush(job.lane.ready, job.rank)
        if job.lane.ready[0] == job.rank:
            self.offer(job.lane)

    def push_returning(self, job: JobRun) -> None:
        heappush(self.returning, job.rank)

    def offer(self, lane: LaneRun) -> None:
        if lane.used >= lane.width or (job := self.first(lane)) is None:
            return
        if lane.offered is None or job.rank < lane.offered:
            lane.offered = job.rank
            heappush(self.offers, job.rank)

    def first(self, lane: LaneRun) -> JobRun | None:
        """The ready job that goes first; entries of jobs that are no longer ready are dropped on the way."""
        ready = lane.ready
        while ready:
            job = self.jobs[ready[0]]
            if job.state is JobState.READY:
                return job
            heappop(ready)
        return None

    def pop(self) -> JobRun | None:
        """The job to admit next: those that come back before new ones."""
        while self.returning:
            job = self.jobs[heappop(self.returning)]
            if job.state is JobState.RETURNING:
                return job
        return self._pop_new()

    def _pop_new(self) -> JobRun | None:
        while self.offers:
            offered = self.jobs[heappop(self.offers)]
            lane = offered.lane
            if lane.offered != offered.rank:
                continue  # a better one was offered since
            lane.offered = None
            if lane.used < lane.width and self.first(lane) is offered:
                heappop(lane.ready)
                return offered
            self.offer(lane)
        return None
