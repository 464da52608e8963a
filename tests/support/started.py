"""A `weft` under way as a process of its own, its output in files: nobody need read for it to go on."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.answer import Answer
from tests.support.waiting import PATIENCE, until


class Started:
    def __init__(
        self, argv: Sequence[str], cwd: Path, environment: Mapping[str, str], output: Path, stdin: Path | None = None
    ) -> None:
        self.out_file, self.err_file = output.with_suffix(".out"), output.with_suffix(".err")
        given = stdin or Path(os.devnull)
        with self.out_file.open("wb") as out, self.err_file.open("wb") as err, given.open("rb") as read:
            self.process = subprocess.Popen(
                argv,
                cwd=cwd,
                env=environment,
                stdin=read,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    @property
    def err(self) -> str:
        return self.err_file.read_text("utf-8", errors="strict")

    @property
    def out(self) -> str:
        return self.out_file.read_text("utf-8", errors="strict")

    def wait(self) -> Answer:
        """Until it has ended; what it printed."""
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"weft does not end; stderr:\n{self.err}") from None
        return Answer(code, self.out, self.err)

    def send(self, number: signal.Signals) -> None:
        os.kill(self.process.pid, number)

    def send_group(self, number: signal.Signals) -> None:
        """As a terminal does: to the whole foreground group."""
        os.killpg(self.process.pid, number)

    def until(self, condition: object) -> None:
        """Until the condition holds; if Weft ends before, what it said is the failure."""
        assert callable(condition)
        until(lambda: condition() or self.process.poll() is not None, lambda: f"stuck; stderr:\n{self.err}")
        assert condition(), f"weft ended with {self.process.returncode} before; stderr:\n{self.err}\n{self.out}"
