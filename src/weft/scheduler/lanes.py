"""Lanes, and which job goes next: heaps, so that every question costs O(log n)."""

from __future__ import annotations

from heapq import heappop, heappush

from weft.scheduler.jobrun import JobRun, Rank
from weft.scheduler.states import JobState


class LaneRun:
    """A track with a width, the jobs in it and the ready jobs that wait for it."""

    __slots__ = ("index", "name", "ready", "used", "width")

    def __init__(self, name: str, width: int, index: int) -> None:
        self.name = name
        self.width = width
        self.index = index
        self.used = 0
        self.ready: list[tuple[Rank, JobRun]] = []

    def __lt__(self, other: LaneRun) -> bool:
        """A lane may be on offer twice; then the offers tie."""
        return self.index < other.index

    def first(self) -> JobRun | None:
        """The ready job that goes first; entries of jobs that are no longer ready are dropped on the way."""
        while self.ready:
            job = self.ready[0][1]
            if job.state is JobState.READY:
                return job
            heappop(self.ready)
        return None


class ReadyQueue:
    """Offers lanes with room, best first job first. A slot is thus only ever taken by a job that can run now.

    A lane may be offered more than once; an offer counts only if it still tells the truth when it is taken up.
    """

    __slots__ = ("offers", "returning")

    def __init__(self) -> None:
        self.offers: list[tuple[Rank, int, LaneRun]] = []
        self.returning: list[tuple[Rank, JobRun]] = []

    def push(self, job: JobRun) -> None:
        heappush(job.lane.ready, (job.rank, job))
        self.offer(job.lane)

    def push_returning(self, job: JobRun) -> None:
        heappush(self.returning, (job.rank, job))

    def offer(self, lane: LaneRun) -> None:
        if lane.used < lane.width and (job := lane.first()):
            heappush(self.offers, (job.rank, lane.index, lane))

    def peek(self) -> JobRun | None:
        """The job that would be admitted next, if there were a slot."""
        while self.returning:
            job = self.returning[0][1]
            if job.state is JobState.RETURNING:
                return job
            heappop(self.returning)
        return self._peek_new()

    def _peek_new(self) -> JobRun | None:
        while self.offers:
            rank, _, lane = self.offers[0]
            job = lane.first() if lane.used < lane.width else None
            if job is not None and job.rank == rank:
                return job
            heappop(self.offers)
            if job is not None:
                self.offer(lane)
        return None

    def pop(self) -> JobRun | None:
        job = self.peek()
        if job is None:
            return None
        if job.state is JobState.RETURNING:
            heappop(self.returning)
        else:
            heappop(self.offers)
            heappop(job.lane.ready)
        return job
