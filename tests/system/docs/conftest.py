"""Shell blocks of pages, run as a reader would run them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

RunBlocks = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run_shell(tmp_path: Path) -> RunBlocks:
    """Runs a script in an empty folder, with a home and a state folder of its own; `first` leads the PATH."""

    def run(script: str, first: Path | None = None) -> subprocess.CompletedProcess[str]:
        place = tmp_path / "place"
        place.mkdir()
        path = ":".join(map(str, [*([first] if first else []), Path(sys.executable).parent, "/usr/bin", "/bin"]))
        environment = {
            "PATH": path,
            "HOME": str(tmp_path),
            "WEFT_HOME": str(tmp_path / "state"),
            "LANG": "C.UTF-8",
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@localhost",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@localhost",
        }
        return subprocess.run(
            ["bash", "-e", "-c", script], cwd=place, env=environment, capture_output=True, text=True, timeout=100
        )

    return run
