"""What earlier runs and runs under way wrote: for commands that look and steer, and start nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from weft.board.board import fold
from weft.board.views import RunView
from weft.model.events import AnyEvent, RunStarted
from weft.model.ids import RunId
from weft.model.layout import Layout
from weft.model.plan import Plan
from weft.ports import RunRecord
from weft.settings.environment import Environment
from weft.stores.claims import is_claimed
from weft.stores.memory import MemoryJournal
from weft.stores.sqlite import SqliteJournal

ENOUGH = 50
"""Runs; older ones say little about the next."""


class History:
    """The runs there are. Where no database was made yet there are none, and looking makes none."""

    def __init__(self, journal: SqliteJournal | MemoryJournal, layout: Layout) -> None:
        self.journal = journal
        self.layout = layout

    def records(self) -> list[RunRecord]:
        """Newest first."""
        return self.journal.runs()[::-1]

    def under_way(self) -> list[RunRecord]:
        """Runs that a living process has, newest first."""
        return [record for record in self.records() if record.ended_at is None and self.has_process(record.run)]

    def has_process(self, run: RunId) -> bool:
        return is_claimed(Path(self.layout.root), run)

    def events(self, run: RunId) -> Iterator[AnyEvent]:
        return (entry.event for entry in self.journal.read(run))

    def plan(self, run: RunId) -> Plan | None:
        """None where the run's process died before it wrote one."""
        first = next(self.events(run), None)
        return first.plan if isinstance(first, RunStarted) else None

    def view(self, run: RunId) -> RunView:
        # In this order: a run that ends meanwhile is then seen as ended, never as interrupted.
        alive = self.has_process(run)
        return fold(run, self.events(run), alive=alive)

    def past(self, paths: Collection[str]) -> list[RunView]:
        """The latest runs in these repos, for what is to be expected of the next."""
        here = [record for record in self.records() if not set(paths).isdisjoint(record.repos)]
        return self.views(here[:ENOUGH])

    def views(self, records: Iterable[RunRecord]) -> list[RunView]:
        return [self.view(record.run) for record in records]


@contextmanager
def open_history(environment: Environment) -> Iterator[History]:
    layout = Layout(str(environment.state_folder))
    database = Path(layout.database)
    if not database.exists():
        yield History(MemoryJournal(), layout)
        return
    with SqliteJournal(database) as journal:
        yield History(journal, layout)
