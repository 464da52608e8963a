"""One step under way: the state, the time of the event, and the commands that come of it."""

from __future__ import annotations

from weft.model.commands import Command, WriteNote
from weft.model.events import Note
from weft.scheduler.state import State


class Turn:
    __slots__ = ("at", "commands", "state")

    def __init__(self, state: State, at: float) -> None:
        self.state = state
        self.at = at
        self.commands: list[Command] = []

    def order(self, command: Command) -> None:
        self.commands.append(command)

    def note(self, note: Note) -> None:
        self.commands.append(WriteNote(note))
