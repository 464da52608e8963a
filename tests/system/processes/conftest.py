"""A warden, ways to start things under it, and ways to look for what is alive that do not trust Weft's own."""

from __future__ import annotations

import asyncio
import os
import sys
import uuid
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from weft.processes import Launch, Warden

TREE = Path(__file__).with_name("tree.py")
SECONDS = 20


class Stage:
    """Where a test's processes run: they all have `mark` in their command lines, so that they can be looked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.output = folder / "output"
        self.mark = f"mark-{uuid.uuid4().hex}"
        self.env = {"PATH": os.environ["PATH"], "WEFT_ATTEMPT": f"{self.mark}/shop#1/exec/1"}

    def launch(self, *argv: str, **changes: object) -> Launch:
        given: dict[str, object] = {"argv": argv, "cwd": self.folder, "env": self.env, "stdout": self.output}
        return Launch(**(given | changes))  # type: ignore[arg-type]

    def shell(self, script: str, **changes: object) -> Launch:
        return self.launch("/bin/sh", "-c", script, self.mark, **changes)

    def tree(self, *shapes: str, **changes: object) -> Launch:
        """A process with a descendant of each shape; see `tree.py`."""
        return self.launch(sys.executable, "-S", str(TREE), self.mark, *shapes, **changes)

    def alive(self) -> list[int]:
        """Processes of this test, wherever in the system, dead ones that wait to be reaped not counted."""
        pids = [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdecimal()]
        return [pid for pid in pids if self._is_ours(pid)]

    def _is_ours(self, pid: int) -> bool:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False
        return self.mark.encode() in command and pid != os.getpid()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(SECONDS):
            while not condition():
                await asyncio.sleep(0.005)

    async def ready(self, count: int = 1, output: Path | None = None) -> None:
        """`count` processes have said that they are ready."""
        path = output or self.output
        await self.until(lambda: path.exists() and path.read_text().count("ready") >= count)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@pytest.fixture
async def warden() -> AsyncIterator[Warden]:
    async with Warden() as warden:
        yield warden
