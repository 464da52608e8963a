"""Appends for as long as it lives, in several tasks, and prints each number once it was told that it is on disk."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from weft.model.events import CapSet
from weft.model.ids import RunId
from weft.stores.sqlite import SqliteJournal


async def main(database: Path, run: RunId, tasks: int, each: int) -> None:
    with SqliteJournal(database) as journal:

        async def append(task: int) -> None:
            number = 0
            while number != each:
                number += 1
                seq = await journal.append(run, [CapSet(at=float(task), cap=number)])
                os.write(1, f"{seq} {task} {number}\n".encode())

        await asyncio.gather(*(append(task) for task in range(tasks)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), RunId(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))
