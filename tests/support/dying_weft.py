"""`dying_weft.py before|after N ARGS...`: the command line, killed -9 by itself around the Nth event it writes; in
place of N the name of a kind of event: around the first of those.

Assembled of the very parts that `weft` is; only the journal is wrapped. The events of one group are written one by
one, so that every prefix of the journal that a crash may leave is tried. `before`: what the event tells of has been
done, and the event is not written. `after`: it is on disk, and nothing has been done about it.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

from weft.assembly import local
from weft.cli.main import run
from weft.model.events import AnyEvent
from weft.model.ids import RunId
from weft.stores.sqlite import SqliteJournal


class DyingJournal(SqliteJournal):
    when = "before"
    left = 0
    kind = ""

    async def append(self, run: RunId, events: Sequence[AnyEvent]) -> int:
        seq = 0
        for event in events:
            self._die_if_due("before", event)
            seq = await super().append(run, [event])
            self._die_if_due("after", event)
            DyingJournal.left -= 1
        return seq

    def _die_if_due(self, when: str, event: AnyEvent) -> None:
        due = type(event).__name__ == self.kind if self.kind else self.left == 1
        if due and self.when == when:
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    DyingJournal.when, count = sys.argv[1], sys.argv[2]
    DyingJournal.left, DyingJournal.kind = (int(count), "") if count.isdigit() else (0, count)
    setattr(local, "SqliteJournal", DyingJournal)  # noqa: B010 (the only part that is not as in `weft`)
    sys.exit(run(sys.argv[3:]))
