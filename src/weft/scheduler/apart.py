"""Jobs that touch the same paths are kept apart while there is other work to do (WAVE-10).

A ready job that meets one at work is set aside, and looked at again when that one has ended. Where nothing else could
use a free slot, the best of those set aside gets it after all: no slot idles because of an overlap, nobody starves.
"""

from __future__ import annotations

from collections.abc import Iterable

from weft.model.ids import JobKey
from weft.scheduler.jobrun import JobRun
from weft.scheduler.lanes import ReadyQueue
from weft.scheduler.overlap import Footprint
from weft.scheduler.states import JobState

MOST_ASIDE = 256
"""So many are passed over at once at most: a step's cost stays bounded, whatever the plan says."""
_MOST_KEPT = 4096
"""Footprints that are kept to be looked at again, in plans of a million jobs too."""


class Apart:
    """Who touches what. Jobs are known by their ranks, as in the queue; those that touch nothing are not known here."""

    __slots__ = ("_aside", "_at_work", "_footprints", "_learned", "_queue")

    def __init__(self, queue: ReadyQueue) -> None:
        self._queue = queue
        self._at_work: dict[str, dict[int, Footprint]] = {}
        """By repo: those that have a place in a lane."""
        self._learned: dict[int, tuple[str, ...]] = {}
        """What sessions said that their job touches, and what it said of itself."""
        self._aside: dict[int, int] = {}
        """The one at work that each was set aside for."""
        self._footprints: dict[tuple[str, ...], Footprint] = {}

    # ------------------------------------------------------------ who goes next

    def pop(self) -> JobRun | None:
        """The job to admit next: the first that meets nobody at work, else the first."""
        for _ in range(MOST_ASIDE + 1 - len(self._aside)):
            job = self._queue.pop()
            if job is None:
                break
            by = self._met(job)
            if by is None:
                return job
            self._aside[job.rank] = by
            self._queue.offer(job.lane)
        return self._pop_aside()

    def _met(self, job: JobRun) -> int | None:
        """One at work that touches what this one does; what was begun is gone on with in any case."""
        touches = self._learned.get(job.rank, job.job.touches)
        if not touches or job.state is not JobState.READY or not (others := self._at_work.get(job.key.repo)):
            return None
        mine = self._footprint(touches)
        return next((rank for rank, other in others.items() if mine.meets(other)), None)

    def _pop_aside(self) -> JobRun | None:
        for rank in sorted(self._aside):
            job = self._queue.jobs[rank]
            if job.state is not JobState.READY:
                del self._aside[rank]  # cancelled meanwhile
            elif job.lane.used < job.lane.width:
                del self._aside[rank]
                return job
        return None

    # ------------------------------------------------------------ who is at work

    def begin(self, job: JobRun) -> None:
        """It has a place in its lane from now on."""
        if touches := self._learned.get(job.rank, job.job.touches):
            self._at_work.setdefault(job.key.repo, {})[job.rank] = self._footprint(touches)

    def learn(self, job: JobRun, touches: Iterable[str]) -> None:
        """A session of it, which is at work, said what it touches."""
        known = self._learned.get(job.rank, job.job.touches)
        self._learned[job.rank] = tuple(dict.fromkeys((*known, *touches)))
        self.begin(job)

    def end(self, job: JobRun) -> None:
        """Its place in the lane is free: who was set aside for it is looked at again."""
        others = self._at_work.get(job.key.repo)
        if others is None or others.pop(job.rank, None) is None:
            return
        if not others:
            del self._at_work[job.key.repo]
        for rank in [rank for rank, by in self._aside.items() if by == job.rank]:
            del self._aside[rank]
            if self._queue.jobs[rank].state is JobState.READY:
                self._queue.push(self._queue.jobs[rank])

    def _footprint(self, touches: tuple[str, ...]) -> Footprint:
        footprint = self._footprints.get(touches)
        if footprint is None:
            if len(self._footprints) >= _MOST_KEPT:
                self._footprints.clear()
            footprint = self._footprints[touches] = Footprint(touches)
        return footprint

    # ------------------------------------------------------------ for those who ask

    def set_aside_for(self, job: JobRun) -> tuple[str, JobKey] | None:
        """The path and the job at work that it was passed over for; None where it was not."""
        by = self._aside.get(job.rank)
        if by is None or job.state is not JobState.READY:
            return None
        other = self._queue.jobs[by]
        path = self.footprint_of(job).shared(self.footprint_of(other))
        return (path, other.key) if path is not None else None

    def footprint_of(self, job: JobRun) -> Footprint:
        return self._footprint(self._learned.get(job.rank, job.job.touches))

    @property
    def at_work(self) -> set[JobKey]:
        """Those that are known to touch something."""
        return {self._queue.jobs[rank].key for ranks in self._at_work.values() for rank in ranks}

    def snapshot(self) -> tuple[object, ...]:
        """Everything that counts, for comparing two states."""
        at_work = {repo: {rank: paths.touches for rank, paths in of.items()} for repo, of in self._at_work.items()}
        return at_work, dict(self._learned), dict(self._aside)
