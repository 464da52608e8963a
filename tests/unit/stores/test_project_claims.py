"""Projects are taken by one run at a time (PROJ-4)."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from weft.model.ids import RunId
from weft.stores.project_claims import ProjectClaims
from weft.stores.sqlite import SqliteJournal

ONE, TWO = RunId("r-one"), RunId("r-two")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    SqliteJournal(tmp_path / "weft.db").close()
    return tmp_path / "weft.db"


def test_taken_held_and_given_back(database: Path) -> None:
    """PROJ-4: who has it may ask again; another is told who has it, until it is given back; who does not have it cannot
    give it back.
    """
    claims = ProjectClaims(database)
    assert claims.take("shop", ONE) is None
    assert claims.take("shop", ONE) is None
    claims.give_back("shop", TWO)
    holder = claims.take("shop", TWO)
    assert holder is not None
    assert (holder.run, holder.process.pid) == (ONE, os.getpid())
    assert claims.take("other", TWO) is None
    claims.give_back("shop", ONE)
    assert claims.holder("shop") is None
    assert claims.take("shop", TWO) is None


def test_of_many_at_once_one_gets_it(database: Path) -> None:
    """PROJ-4: however many ask at the same moment, each project goes to exactly one."""
    runs = [RunId(f"r-{number}") for number in range(8)]
    projects = [f"p{number}" for number in range(5)]

    def takes(run: RunId) -> list[str]:
        return [project for project in projects if ProjectClaims(database).take(project, run) is None]

    with ThreadPoolExecutor(len(runs)) as pool:
        taken = [project for got in pool.map(takes, runs) for project in got]
    assert sorted(taken) == projects


HOLD = """
import sys
from pathlib import Path
from weft.stores.project_claims import ProjectClaims
assert ProjectClaims(Path(sys.argv[1])).take("shop", "r-dead") is None
"""


def test_a_dead_process_holds_nothing(database: Path) -> None:
    """PROJ-4: the claim of a process that is gone is no claim."""
    subprocess.run([sys.executable, "-c", HOLD, str(database)], check=True)
    claims = ProjectClaims(database)
    assert claims.holder("shop") is None
    assert claims.take("shop", ONE) is None


def test_a_number_that_another_process_has_now(database: Path) -> None:
    """PROJ-4: a living process of the same number that began at another time is not the holder."""
    claims = ProjectClaims(database)
    claims.take("shop", ONE)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE project_claims SET started = 'another time'")
    assert claims.holder("shop") is None
    assert claims.take("shop", TWO) is None
