"""A picture of what a command shows on a terminal, with its own colours."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

COLUMNS = 104
_DRAWN_OVER = re.compile(r"[^\n]*\r\x1b\[J")


def on_terminal(argv: list[str], cwd: Path, environment: dict[str, str]) -> str:
    """What is left on the screen at its end, colours included."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    with subprocess.Popen(
        argv, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    ) as run:
        os.close(theirs)
        raw = _all_of(ours).decode()
    if run.returncode != 0:
        raise SystemExit(f"{' '.join(argv)} ended with {run.returncode}:\n{raw}")
    return _DRAWN_OVER.sub("", raw.replace("\r\n", "\n"))


def _all_of(fd: int) -> bytes:
    """Linux answers the end of a terminal with an error."""
    data = bytearray()
    with os.fdopen(fd, "rb", buffering=0) as terminal:
        try:
            while part := terminal.read(65536):
                data += part
        except OSError:
            pass
    return bytes(data)


def svg(text: str, title: str) -> str:
    """Without fonts from elsewhere: nothing is fetched when it is looked at."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True)
        console.print(Text.from_ansi(text), soft_wrap=False)
        return console.export_svg(title=title, code_format=_without_fonts(CONSOLE_SVG_FORMAT), unique_id="weft")


def _without_fonts(template: str) -> str:
    plain = re.sub(r"\s*@font-face \{\{.*?\}\}", "", template, flags=re.DOTALL)
    plain = re.sub(r"\s*<!--.*?-->", "", plain, flags=re.DOTALL)
    return plain.replace("font-family: Fira Code, monospace", "font-family: ui-monospace, Menlo, Consolas, monospace")
