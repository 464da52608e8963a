"""Disks that are full or may not be written (RECOVER-6)."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from weft.errors import StoreError
from weft.model.events import CapSet, WorkspaceFailed
from weft.model.ids import JobKey, RunId
from weft.stores.sqlite import SqliteJournal

PROGRAMS = Path(__file__).parent / "programs"
RUN = RunId("r-1")
MOUNT = 'mount -t tmpfs -o size=2m none "$1"'


def in_tiny_disk(folder: Path, command: str, *args: object) -> subprocess.CompletedProcess[str]:
    script = f"{MOUNT} && {command}"
    argv = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", str(folder), *map(str, args)]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def test_full_disk(tmp_path: Path) -> None:
    """No space: the append fails with a clear message, nothing is half-written, and with space again it goes on."""
    if shutil.which("unshare") is None or in_tiny_disk(tmp_path, "true").returncode != 0:
        pytest.skip("no tmpfs can be mounted here")
    done = in_tiny_disk(tmp_path, 'exec "$2" "$3" "$1"', sys.executable, PROGRAMS / "fill_disk.py")
    assert done.returncode == 0, done.stderr
    first, last = done.stdout.splitlines()
    assert first == f"no space left for the database `{tmp_path}/state/weft.db`"
    assert last == "went on"


@pytest.fixture
def file_limit() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_write_that_fails(tmp_path: Path, file_limit: None) -> None:
    """A write that the system refuses in the middle of a group: the same."""
    big = WorkspaceFailed(at=0.0, job=JobKey("shop", "1"), reason="x" * 300_000)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with SqliteJournal(tmp_path / "weft.db") as journal:
        await journal.append(RUN, [CapSet(at=0.0, cap=1)])
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
        with pytest.raises(StoreError, match=r"weft\.db"):
            await journal.append(RUN, [CapSet(at=0.0, cap=2), big])
        assert [entry.event for entry in journal.read(RUN)] == [CapSet(at=0.0, cap=1)]
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        await journal.append(RUN, [CapSet(at=0.0, cap=3), big])
        assert [entry.event for entry in journal.read(RUN)] == [CapSet(at=0.0, cap=1), CapSet(at=0.0, cap=3), big]


OPEN = """
import os, sys
from pathlib import Path
from weft.errors import StoreError
from weft.stores.sqlite import SqliteJournal
if os.geteuid() == 0:
    os.setuid(65534)  # modes mean nothing to root
try:
    SqliteJournal(Path(sys.argv[1])).close()
except StoreError as error:
    sys.exit(f"{error.message}\\nhint: {error.hint}")
"""


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """One that another user can reach, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def open_unprivileged(database: Path) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-B", "-c", OPEN, str(database)]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def test_read_only_folder(shared_folder: Path) -> None:
    """A folder that may not be written is named, before anything is done."""
    shared_folder.chmod(0o555)
    done = open_unprivileged(shared_folder / "state" / "weft.db")
    assert done.returncode == 1
    assert done.stderr.startswith(f"cannot use the state folder `{shared_folder}/state`: Permission denied\nhint: ")


def test_read_only_database(shared_folder: Path) -> None:
    """The same where the database is there already."""
    SqliteJournal(shared_folder / "weft.db").close()
    for path in shared_folder.iterdir():
        path.chmod(0o444)
    shared_folder.chmod(0o555)
    done = open_unprivileged(shared_folder / "weft.db")
    assert done.returncode == 1, done.stderr
    assert str(shared_folder) in done.stderr
    assert "Traceback" not in done.stderr
