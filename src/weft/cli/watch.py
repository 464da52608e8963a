"""`weft status --watch`: the live board of runs that other processes have."""

from __future__ import annotations

import sys
import time

from weft.assembly.history import History
from weft.board.board import Board
from weft.board.views import RunView
from weft.model.ids import RunId
from weft.settings.environment import Environment
from weft.terminal.glyphs import glyphs_for
from weft.terminal.live import LiveBoard

LOOK_EVERY = 0.25
"""Seconds between two looks at the journal."""


class Watched:
    """A run's board, brought up to date from the journal."""

    def __init__(self, history: History, run: RunId) -> None:
        self._history = history
        self._board = Board(run)
        self._seen = 0

    def look(self) -> RunView:
        view = self._board.view
        # First who has it, then what was written: a run that ends meanwhile is seen as ended.
        view.alive = self._history.has_process(view.run)
        for entry in self._history.journal.read(view.run, self._seen):
            self._board.apply(entry.event)
            self._seen = entry.seq
        return view


def watch_runs(history: History, environment: Environment, runs: list[RunId]) -> list[RunView]:
    """Show them until none is under way any more; answers how they stand then."""
    watched = [Watched(history, run) for run in runs]
    with LiveBoard(sys.stdout, color=environment.wants_colour, glyphs=glyphs_for(sys.stdout.encoding)) as live:
        while True:
            views = [each.look() for each in watched]
            live.update(views, time.time())
            if not any(view.alive and view.ended_at is None for view in views):
                return views
            time.sleep(LOOK_EVERY)
