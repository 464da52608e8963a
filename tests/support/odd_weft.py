"""`odd_weft.py clock=SECONDS|patience=SECONDS ARGS...`: the command line with a clock that is wrong by so much, or one
that waits no longer than that for a locked database.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from weft.assembly import local
from weft.cli.main import run
from weft.stores.sqlite import SqliteJournal


class ImpatientJournal(SqliteJournal):
    patience = 0.0

    def __init__(self, path: Path) -> None:
        super().__init__(path, patience=self.patience)


def prepare(name: str, seconds: float) -> None:
    if name == "clock":
        right = time.time
        time.time = lambda: right() + seconds
    else:
        ImpatientJournal.patience = seconds
        setattr(local, "SqliteJournal", ImpatientJournal)  # noqa: B010 (the only part that is not as in `weft`)


if __name__ == "__main__":
    name, _, seconds = sys.argv[1].partition("=")
    prepare(name, float(seconds))
    sys.exit(run(sys.argv[2:]))
