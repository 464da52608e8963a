"""A process that outlives this one: in a session of its own, tied to no terminal."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


class Detached:
    """Known until it is let go; from then on it is nobody's child here."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_status(self) -> int | None:
        """None while it lives."""
        return self._process.poll()

    def let_go(self) -> None:
        """It is meant to go on: without this the interpreter would complain about it at the end."""
        self._process.returncode = 0


def start_detached(argv: Sequence[str], cwd: Path, env: Mapping[str, str], output: Path) -> Detached:
    """`output`: where all it prints is added to."""
    with output.open("ab") as file:
        os.fchmod(file.fileno(), 0o600)
        process = subprocess.Popen(
            argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True
        )
    return Detached(process)
