"""The real command line in a real repo, and processes that hold locks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from tests.git_repo import GitRepo
from tests.support.answer import Answer

ROOT = Path(__file__).resolve().parents[3]


class Holder:
    """Another process with a lock of its own."""

    def __init__(self, folder: Path, name: str) -> None:
        argv = [sys.executable, "-m", "tests.support.lock_holder", str(folder), name, f"weft run {name}"]
        self._process = subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self._process.pid
        assert self._said() == "held"

    def _said(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def tell(self, word: str) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()
        return self._said()

    def wait(self) -> int:
        return self._process.wait()

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


Start: TypeAlias = Callable[[str], Holder]


class Desk:
    """`desk.locks("check", "604")`."""

    def __init__(self, root: Path) -> None:
        self.repo = GitRepo(root / "shop", root / "home")
        self.folder = self.repo.path / ".weft" / "locks"
        self._state = root / "state"

    @property
    def variables(self) -> dict[str, str]:
        return {**self.repo.environment, "WEFT_HOME": str(self._state)}

    def locks(self, *args: str, cwd: Path | None = None, **variables: str) -> Answer:
        """As a process; its parent is the test's."""
        done = subprocess.run(
            [sys.executable, "-m", "weft", "locks", *args],
            cwd=cwd or self.repo.path,
            env={**self.variables, **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def write(self, name: str, *, age: float = 0, **fields: Any) -> Path:
        """A lock file of another host, last renewed `age` seconds ago."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{name}.lock"
        document = {
            "issue": name,
            "pid": 12345,
            "hostname": "elsewhere",
            "bootId": "another",
            "pidStartedAt": 1,
            "startedAt": "2026-05-10T14:32:00Z",
            "command": f"weft run {name}",
            "run": "r-1",
            "flock": True,
        }
        path.write_text(json.dumps(document | fields))
        then = time.time() - age
        os.utime(path, (then, then))
        return path


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def start_holder(desk: Desk) -> Iterator[Start]:
    started: list[Holder] = []

    def start(name: str) -> Holder:
        started.append(Holder(desk.folder, name))
        return started[-1]

    yield start
    for holder in started:
        holder.kill()
