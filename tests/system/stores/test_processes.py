"""Several processes and one database; processes that are killed."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import closing
from pathlib import Path

import pytest

from weft.model.events import CapSet
from weft.model.ids import RunId
from weft.stores.claims import claim_run, is_claimed, read_claim
from weft.stores.schema import SCHEMA_VERSION, schema_version
from weft.stores.sqlite import SqliteJournal

PROGRAMS = Path(__file__).parent / "programs"


def start(program: str, *args: object) -> subprocess.Popen[str]:
    argv = [sys.executable, str(PROGRAMS / f"{program}.py"), *map(str, args)]
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def acknowledged(output: str) -> dict[int, tuple[int, int]]:
    """Number → task and value, of whole lines only: a kill may cut the last."""
    lines = [line.split() for line in output.splitlines(keepends=True) if line.endswith("\n")]
    return {int(seq): (int(task), int(number)) for seq, task, number in lines}


def test_several_append_at_once(tmp_path: Path) -> None:
    """Several Weft processes of one user use one database at once, from its first moment on; nobody loses anything."""
    database = tmp_path / "state" / "weft.db"
    children = [start("append_forever", database, f"r-{child}", 4, 100) for child in range(4)]
    outputs = [child.communicate()[0] for child in children]
    assert [child.returncode for child in children] == [0] * 4
    with SqliteJournal(database) as journal:
        for child, output in enumerate(outputs):
            stored = {entry.seq: entry.event for entry in journal.read(RunId(f"r-{child}"))}
            assert len(stored) == 400
            told = acknowledged(output)
            assert stored == {seq: CapSet(at=float(task), cap=number) for seq, (task, number) in told.items()}
        assert journal.count() == 1600


@pytest.mark.parametrize("tasks", [1, 16])
def test_killed_loses_nothing_it_was_told_is_written(tmp_path: Path, tasks: int) -> None:
    """kill -9 at a random instant: every acknowledged event is there, with no gap before it (RECOVER-1)."""
    database, run = tmp_path / "weft.db", RunId("r-1")
    chance = random.Random(tasks)
    told: dict[int, tuple[int, int]] = {}
    for _ in range(5):
        child = start("append_forever", database, run, tasks, -1)
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(chance.randrange(1, 200))]
        child.send_signal(signal.SIGKILL)
        told |= acknowledged("".join(lines) + child.communicate()[0])
    with SqliteJournal(database) as journal:
        entries = list(journal.read(run))
        stored = {entry.seq: entry.event for entry in entries}
    assert told
    assert {seq: CapSet(at=float(task), cap=number) for seq, (task, number) in told.items()}.items() <= stored.items()
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    assert_each_task_counts_up(entries_by_task={seq: (int(event.at), event) for seq, event in stored.items()})


def assert_each_task_counts_up(entries_by_task: dict[int, tuple[int, object]]) -> None:
    """Within each life of the process, each task's values follow one another without a gap."""
    last: defaultdict[int, int] = defaultdict(int)
    for _, (task, event) in sorted(entries_by_task.items()):
        assert isinstance(event, CapSet)
        assert event.cap in (last[task] + 1, 1)
        last[task] = event.cap


def test_killed_in_the_middle_of_a_migration(tmp_path: Path) -> None:
    """A transaction that nobody ended is as if it had never begun: the next one migrates (RECOVER-1)."""
    database = tmp_path / "weft.db"
    script = (
        "import sqlite3, sys\n"
        "from weft.stores.schema import MIGRATIONS\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.executescript('BEGIN IMMEDIATE;' + MIGRATIONS[0] + 'PRAGMA user_version = 1;')\n"
        "print('half', flush=True)\n"
        "input()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(database)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "half\n"
    child.kill()
    child.communicate()
    SqliteJournal(database).close()
    with closing(sqlite3.connect(database)) as connection:
        assert schema_version(connection) == SCHEMA_VERSION


def test_claim_of_a_killed_process(tmp_path: Path) -> None:
    """The claim ends with its process, even where a child of it lives on (RECOVER-4)."""
    run = RunId("r-1")
    holder = start("hold_claim", tmp_path, run)
    assert holder.stdin is not None
    assert holder.stdout is not None
    orphan = int(holder.stdout.readline())
    try:
        assert is_claimed(tmp_path, run)
        record = read_claim(tmp_path, run)
        assert record is not None
        assert record.process.pid == holder.pid
        holder.kill()
        holder.wait()
        assert not is_claimed(tmp_path, run)
        assert Path(f"/proc/{orphan}").exists() or sys.platform != "linux"
        claim_run(tmp_path, run).release()
    finally:
        holder.stdin.close()
        holder.stdout.close()
        await_end(orphan)


def await_end(pid: int) -> None:
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}/cmdline").exists() and time.monotonic() < deadline:
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.01)
