"""`weft` on a pseudo-terminal, and what a person would see on it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.waiting import PATIENCE, until

_CSI = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")


class Terminal:
    """Stdin, stdout and stderr are the terminal; the command leads its session, so that Ctrl-C reaches it."""

    def __init__(
        self, argv: Sequence[str], cwd: Path, environment: Mapping[str, str], *, columns: int = 100, rows: int = 40
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(
            argv,
            cwd=cwd,
            env={**environment, "TERM": "xterm"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self._bytes = bytearray()
        self._reading = threading.Thread(target=self._read, name="terminal")
        self._reading.start()

    @property
    def raw(self) -> str:
        return self._bytes.decode("utf-8", "replace")

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def until_shown(self, text: str) -> None:
        until(lambda: text in self.raw or self.process.poll() is not None, lambda: f"stuck at:\n{self.raw}")
        assert text in self.raw, self.raw

    def wait(self) -> int:
        """Its exit code, when all that it printed has been read."""
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.wait()
            self._reading.join()
            os.close(self._master)

    def _read(self) -> None:
        while True:
            try:
                chunk = os.read(self._master, 65536)
            except OSError:  # Linux says EIO when the last one that had the terminal is gone
                return
            if not chunk:
                return
            self._bytes += chunk


def screen_lines(raw: str) -> list[str]:
    """The lines that stand on a tall terminal in the end, for the few sequences that Weft writes."""
    lines, row, column = [""], 0, 0
    for part in _parts(raw):
        if part == "\r":
            column = 0
        elif part == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif part.startswith("\x1b"):
            found = _CSI.fullmatch(part)
            assert found, repr(part)
            if found[2] == "A":
                row -= int(found[1] or 1)
            elif found[2] == "J":
                lines[row] = lines[row][:column]
                del lines[row + 1 :]
        else:
            lines[row] = lines[row][:column].ljust(column) + part + lines[row][column + len(part) :]
            column += len(part)
    return lines


def _parts(raw: str) -> list[str]:
    return [part for part in re.split(r"(\x1b\[[0-9;?]*[A-Za-z]|\r|\n)", raw) if part]
