"""Many processes race for one lock, round after round.

`python -m tests.support.lock_race KIND PROCESSES ROUNDS FOLDER`

Prints how many rounds had how many winners, as JSON: `{"1": 10000}` is what must come of it (PERF-10).
"""

from __future__ import annotations

import json
import mmap
import os
import sys
from collections import Counter
from collections.abc import Callable

from weft.locks.acquire import acquire
from weft.locks.folder import LockFolder
from weft.locks.held import HeldLock
from weft.locks.holder import Claim
from weft.locks.state import LockState

NAME = "604"
DIED = 9


def _release(lock: HeldLock) -> None:
    lock.release()


def _die(lock: HeldLock) -> None:
    """As a kill -9 does: the file stays, the kernel lets go."""
    lock.leave()


ENDS: dict[str, tuple[Callable[[HeldLock], None], ...]] = {
    "free": (_release,),
    "stale": (_die,),
    "mixed": (_release, _die),
}


class Shared:
    """Numbers that all processes see: where each has got to, and how many won each round."""

    def __init__(self, processes: int, rounds: int) -> None:
        self.processes, self.rounds = processes, rounds
        self._map = mmap.mmap(-1, 8 * processes * (1 + rounds))
        self._numbers = memoryview(self._map).cast("q")

    def meet(self, process: int, step: int) -> None:
        """Go on when all have come this far; one that died comes no further, and then all stop."""
        self._numbers[process] = step
        while min(self._numbers[: self.processes]) < step:
            os.sched_yield()

    def won(self, process: int, number: int) -> None:
        """Each process has its own row, so that no two write to one number."""
        self._numbers[self.processes + process * self.rounds + number] = 1

    def winners(self, number: int) -> int:
        return sum(self._numbers[self.processes + process * self.rounds + number] for process in range(self.processes))


def race(shared: Shared, process: int, folder: LockFolder, kind: str) -> None:
    for number in range(shared.rounds):
        shared.meet(process, 2 * number + 1)
        taken = acquire(folder, NAME, Claim(f"racer {process}"))
        if isinstance(taken, HeldLock) and taken.still_mine():
            shared.won(process, number)
        shared.meet(process, 2 * number + 2)
        if isinstance(taken, HeldLock):
            ends = ENDS[kind]
            ends[number % len(ends)](taken)
        else:
            assert isinstance(taken, LockState)


def run(kind: str, processes: int, rounds: int, folder: str) -> Counter[int]:
    shared, locks = Shared(processes, rounds), LockFolder(folder)
    children = [_forked(shared, process, locks, kind) for process in range(processes)]
    failed = [pid for pid in children if os.waitpid(pid, 0)[1]]
    assert not failed, f"racers failed: {failed}"
    return Counter(shared.winners(number) for number in range(rounds))


def _forked(shared: Shared, process: int, folder: LockFolder, kind: str) -> int:
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        race(shared, process, folder, kind)
        status = 0
    finally:
        if status:
            import traceback

            traceback.print_exc()
            os.killpg(0, DIED)  # the others would wait for ever
        os._exit(status)


if __name__ == "__main__":
    os.setpgid(0, 0)
    counted = run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    print(json.dumps(counted))
