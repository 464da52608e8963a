"""The locks of a run's jobs, kept by this process until each job has ended."""

from __future__ import annotations

from weft.locks.acquire import acquire
from weft.locks.folder import LockFolder
from weft.locks.held import HeldLock
from weft.locks.holder import Claim
from weft.locks.looking import check
from weft.locks.messages import blocked, lost, what, who
from weft.locks.signalling import signal_holder
from weft.locks.state import Condition, LockState
from weft.model.ids import JobKey, RunId
from weft.model.plan import LockPlace, LockRule, Plan, TakeOver
from weft.ports import LockAnswer, NoLocks

RENEWAL = 60.0
"""Seconds between signs of life, for those who look from another host."""
WATCH = 1.0
"""Seconds between looks whether a lock is still ours: an agent that works on for a job that is another's is stopped."""


class RunLocks:
    """Taken at most once each; asked before every write whether they are still ours."""

    def __init__(self, run: RunId, plan: Plan) -> None:
        self._claim = Claim(plan.command or "weft", str(run))
        self._take_over = plan.take_over
        self._folders = {repo.name: folder_of(repo.locks) for repo in plan.repos if repo.locks is not None}
        self._held: dict[JobKey, HeldLock] = {}
        self._former: dict[JobKey, RunId] = {}
        self.run = run

    def take(self, job: JobKey) -> LockAnswer:
        folder = self._folders.get(job.repo)
        if folder is None or job in self._held:
            return LockAnswer()
        state = check(folder, job.id) if self._take_over is not TakeOver.NEVER else None
        said = _signalled(state) if state and self._take_over is TakeOver.SIGNAL else None
        answer = acquire(folder, job.id, self._claim, force=self._take_over is not TakeOver.NEVER)
        if isinstance(answer, HeldLock):
            self._held[job] = answer
            if state and state.held and state.holder and state.holder.run:
                self._former[job] = RunId(state.holder.run)
            return LockAnswer(said=said)
        return LockAnswer(holder=f"{who(answer)} ({what(answer)})", message=blocked(answer), said=said)

    def former(self, job: JobKey) -> RunId | None:
        return self._former.get(job)

    def lost(self, job: JobKey) -> str | None:
        held = self._held.get(job)
        if held is None or held.still_mine():
            return None
        return lost(held.name, check(self._folders[job.repo], held.name))

    def release(self, job: JobKey) -> None:
        held = self._held.pop(job, None)
        if held is not None:
            held.release()

    def all_lost(self) -> dict[JobKey, str]:
        """Jobs whose lock is no longer ours, and why."""
        return {job: why for job in self._held if (why := self.lost(job)) is not None}

    def renew_all(self) -> None:
        for held in self._held.values():
            held.renew()

    def release_all(self) -> None:
        for job in list(self._held):
            self.release(job)


def _signalled(state: LockState) -> str | None:
    """LOCK-8: told to stop before it is taken from; nothing is said where nobody has it."""
    return None if state.condition is Condition.FREE else signal_holder(state).text(state)


def folder_of(place: LockPlace) -> LockFolder:
    return LockFolder(place.folder, place.remote_ttl, place.also)


def locks_of(run: RunId, plan: Plan) -> RunLocks | NoLocks:
    return NoLocks() if plan.lock is LockRule.NONE else RunLocks(run, plan)
