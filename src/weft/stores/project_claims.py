"""Which run has which project (PROJ-4): taken in one transaction, free again when its process is gone."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

import msgspec

from weft.model.ids import RunId
from weft.processes.identity import Identity, identity_of
from weft.stores.queries import SQL
from weft.stores.transaction import transaction


class ProjectHolder(msgspec.Struct, frozen=True):
    """The run that has a project, and its process."""

    run: RunId
    process: Identity

    @property
    def alive(self) -> bool:
        return identity_of(self.process.pid) == self.process


class ProjectClaims:
    """Those of one database that exists. A project is known by its repo's own folder, whatever path leads there."""

    def __init__(self, database: Path) -> None:
        self._path = database

    def holder(self, project: str) -> ProjectHolder | None:
        """The living one that has it."""
        with transaction(self._path) as connection:
            return _living(connection, project)

    def take(self, project: str, run: RunId) -> ProjectHolder | None:
        """None: it is the run's now, or was already. Else who has it. Of many that ask at once exactly one gets it."""
        with transaction(self._path) as connection:
            found = _living(connection, project)
            if found is not None and found.run != run:
                return found
            me = identity_of(os.getpid()) or Identity(os.getpid(), "unknown")
            connection.execute(SQL["put_project_claim"], (project, run, me.pid, me.started, time.time()))
            return None

    def give_back(self, project: str, run: RunId) -> None:
        with transaction(self._path) as connection:
            connection.execute(SQL["delete_project_claim"], (project, run))


def _living(connection: sqlite3.Connection, project: str) -> ProjectHolder | None:
    row = connection.execute(SQL["project_claim"], (project,)).fetchone()
    if row is None:
        return None
    found = ProjectHolder(RunId(row[0]), Identity(row[1], row[2]))
    return found if found.alive else None
