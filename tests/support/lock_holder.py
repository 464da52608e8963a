"""A process that holds a lock and does as it is told: `python -m tests.support.lock_holder FOLDER NAME COMMAND`."""

from __future__ import annotations

import sys

from weft.locks.acquire import acquire
from weft.locks.folder import LockFolder
from weft.locks.held import HeldLock
from weft.locks.holder import Claim


def main(folder: str, name: str, command: str) -> None:
    lock = acquire(LockFolder(folder), name, Claim(command, "r-1"))
    print("held" if isinstance(lock, HeldLock) else "blocked", flush=True)
    assert isinstance(lock, HeldLock)
    for line in sys.stdin:
        match line.strip():
            case "still":
                print(lock.still_mine(), flush=True)
            case "release":
                lock.release()
                print("released", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
