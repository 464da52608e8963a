"""A folder of its own for every test; when it is over nothing of it may be left running."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.task_folder import TaskFolder


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[TaskFolder]:
    folder = TaskFolder(tmp_path)
    yield folder
    left = folder.alive()
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left, f"processes of the test are left: {left}"
