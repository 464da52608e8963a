"""The stream for people."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import termios
from collections.abc import Iterator
from typing import TextIO

import pytest
from tests.unit.board.events_builder import RUN, Tale

from weft.board.board import fold
from weft.terminal import live
from weft.terminal.live import LiveBoard
from weft.terminal.screen import Screen, size_of


@pytest.fixture
def terminal() -> Iterator[TextIO]:
    """A real pseudo-terminal."""
    master, slave = pty.openpty()
    with os.fdopen(slave, "w", encoding="utf-8") as stream:
        yield stream
    os.close(master)


def resize(stream: TextIO, columns: int, rows: int) -> None:
    fcntl.ioctl(stream.fileno(), termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def test_the_size_is_the_streams_own(terminal: TextIO) -> None:
    """RUN-11: stdout may be a file while stderr is a terminal, and windows change."""
    resize(terminal, 90, 12)
    assert size_of(terminal) == (90, 12)
    screen = Screen(terminal, tty=True)
    assert screen.room == 89
    resize(terminal, 40, 30)
    assert screen.room == 39


def test_a_terminal_without_a_size() -> None:
    """What is no terminal, or tells no size, counts as the usual one."""
    assert size_of(io.StringIO()) == (80, 24)


def test_a_terminal_that_tells_nothing(terminal: TextIO) -> None:
    """A size of 0 by 0 is no size."""
    resize(terminal, 0, 0)
    assert size_of(terminal) == (80, 24)


def test_the_board_follows_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """UI-1: each picture is made for the size the window has then."""
    sizes = iter([(60, 30), (60, 10)])
    monkeypatch.setattr(live, "size_of", lambda stream: next(sizes))
    view = fold(RUN, Tale(*(f"#{number}" for number in range(100))).events)
    stream = io.StringIO()
    with LiveBoard(stream, color=False) as board:
        board.update([view], view.last_at)
        board.update([view], view.last_at)
    assert stream.getvalue().splitlines()[-1] == "… and 95 more"


def test_a_line_comes_above_the_one_that_stays() -> None:
    """RUN-11: erase, print, draw again, in one write."""
    stream = io.StringIO()
    screen = Screen(stream, tty=True, columns=lambda: 80)
    screen.below("below")
    screen.line("line")
    assert stream.getvalue() == "below\r\x1b[Jline\nbelow"
    screen.release()
    screen.line("after")
    assert stream.getvalue().endswith("below\nafter\n")
