"""Many processes race for one lock, round after round.

`python -m tests.support.lock_race KIND PROCESSES ROUNDS FOLDER`

Prints how many rounds had how many winners, as JSON: `{"1": 10000}` is what must come of it (PERF-10).
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable

from weft.locks.acquire import acquire
from weft.locks.folder import LockFolder
from weft.locks.held import HeldLock
from weft.locks.holder import Claim

NAME = "604"


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


class Meeting:
    """Where all wait for one another, without keeping the processor busy. The parent lets them go on."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._arrived = os.pipe()
        # By turns: who is fast must not take the word that is meant for one who has not heard the last one yet.
        self._go = (os.pipe(), os.pipe())

    def join(self, step: int) -> None:
        os.write(self._arrived[1], b".")
        assert os.read(self._go[step % 2][0], 1)

    def lead(self, steps: int) -> None:
        for step in range(steps):
            left = self._processes
            while left:
                left -= len(os.read(self._arrived[0], left))
            os.write(self._go[step % 2][1], b"." * self._processes)


class Wins:
    """Who won which round, for all processes to see; each has a row of its own, so that no two write to one number."""

    def __init__(self, processes: int, rounds: int) -> None:
        self._processes, self.rounds = processes, rounds
        self._cells = mmap.mmap(-1, processes * rounds)

    def add(self, process: int, number: int) -> None:
        self._cells[process * self.rounds + number] = 1

    def of(self, number: int) -> int:
        return sum(self._cells[process * self.rounds + number] for process in range(self._processes))


def race(meeting: Meeting, wins: Wins, process: int, folder: LockFolder, kind: str) -> None:
    ends = ENDS[kind]
    for number in range(wins.rounds):
        meeting.join(2 * number)
        taken = acquire(folder, NAME, Claim(f"racer {process}"))
        if isinstance(taken, HeldLock) and taken.still_mine():
            wins.add(process, number)
        meeting.join(2 * number + 1)
        if isinstance(taken, HeldLock):
            ends[number % len(ends)](taken)


def run(kind: str, processes: int, rounds: int, folder: str) -> Counter[int]:
    meeting, wins, locks = Meeting(processes), Wins(processes, rounds), LockFolder(folder)
    children = [_forked(meeting, wins, process, locks, kind) for process in range(processes)]
    meeting.lead(2 * rounds)
    failed = [pid for pid in children if os.waitpid(pid, 0)[1]]
    assert not failed, f"racers failed: {failed}"
    return Counter(wins.of(number) for number in range(rounds))


def _forked(meeting: Meeting, wins: Wins, process: int, folder: LockFolder, kind: str) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        race(meeting, wins, process, folder, kind)
    except BaseException:
        traceback.print_exc()
        os.killpg(0, signal.SIGKILL)  # the others would wait for ever
    os._exit(0)


if __name__ == "__main__":
    os.setpgid(0, 0)
    counted = run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    print(json.dumps(counted))
