"""Fills the disk that the database is on, appends, makes room again, appends. Run in a mount namespace of its own."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from weft.errors import StoreError
from weft.model.events import CapSet, WorkspaceFailed
from weft.model.ids import JobKey, RunId
from weft.stores.sqlite import SqliteJournal

RUN = RunId("r-1")


def big(number: int) -> WorkspaceFailed:
    return WorkspaceFailed(at=0.0, job=JobKey("shop", str(number)), reason="x" * 20_000)


async def main(folder: Path) -> None:
    ballast = folder / "ballast"
    ballast.write_bytes(b"\0" * 1_000_000)
    with SqliteJournal(folder / "state" / "weft.db") as journal:
        told = 0
        try:
            while True:
                await journal.append(RUN, [CapSet(at=0.0, cap=told + 1), big(told + 1)])
                told += 1
        except StoreError as error:
            print(error.message)
        assert journal.count() == 2 * told > 0, "a group was written in part, or one that was promised is gone"
        ballast.unlink()
        await journal.append(RUN, [big(0)])
    with SqliteJournal(folder / "state" / "weft.db") as journal:
        assert journal.count() == 2 * told + 1
        assert len(list(journal.read(RUN))) == 2 * told + 1
    print("went on")


asyncio.run(main(Path(sys.argv[1])))
