"""Following a growing file."""

from __future__ import annotations

import asyncio
import os
import tracemalloc
from pathlib import Path

import pytest

from weft.processes import Followed, follow, tail


async def followed(path: Path, **options: int) -> tuple[list[bytes], Followed]:
    """All lines of a file that no one writes to any more."""
    lines: list[bytes] = []
    ended = asyncio.Event()
    ended.set()
    result = await follow(path, lines.append, ended, **options)
    return lines, result


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"one\ntwo\n", [b"one", b"two"]),
        (b"one\nno newline", [b"one", b"no newline"]),
        (b"\n\n", [b"", b""]),
        (b"\xff\xfe\n\x00\n\xe9", [b"\xff\xfe", b"\x00", b"\xe9"]),
        (b"windows\r\n", [b"windows\r"]),
    ],
)
async def test_lines_come_as_they_are(tmp_path: Path, content: bytes, lines: list[bytes]) -> None:
    """Bytes that are no UTF-8 pass unchanged, and a last line without newline counts."""
    path = tmp_path / "file"
    path.write_bytes(content)
    assert await followed(path) == (lines, Followed(len(content), len(lines), 0))


async def test_a_file_that_never_comes(tmp_path: Path) -> None:
    """A session that wrote nothing has no lines."""
    assert await followed(tmp_path / "file") == ([], Followed(0, 0, 0))


async def test_lines_come_while_the_file_grows(tmp_path: Path) -> None:
    """A line is given out once it is complete, before the end; the file may come late."""
    path = tmp_path / "file"
    lines: asyncio.Queue[bytes] = asyncio.Queue()
    ended = asyncio.get_running_loop().create_future()
    following = asyncio.create_task(follow(path, lines.put_nowait, ended))
    await asyncio.sleep(0)
    with path.open("ab", buffering=0) as file:
        for number in range(5):
            file.write(b"line %d" % number)
            file.write(b"\npart of ")
            assert (await lines.get()).endswith(b"line %d" % number)
    ended.set_result(None)
    assert (await following).lines == 6
    assert lines.get_nowait() == b"part of "


async def test_what_is_written_last_is_not_lost(tmp_path: Path) -> None:
    """Lines written just before the end are read after it."""
    for number in range(50):
        path = tmp_path / str(number)
        lines: list[bytes] = []
        ended = asyncio.Event()
        following = asyncio.create_task(follow(path, lines.append, ended))
        await asyncio.sleep(0)
        path.write_bytes(b"last\n")
        ended.set()
        await following
        assert lines == [b"last"]


async def test_a_line_of_fifty_megabytes(tmp_path: Path) -> None:
    """It is counted, not given out and not kept in memory; the lines around it are read."""
    path = tmp_path / "file"
    path.write_bytes(b"before\n" + b"x" * 50_000_000 + b"\nafter\n")
    tracemalloc.start()
    try:
        lines, result = await followed(path)
        assert tracemalloc.get_traced_memory()[1] < 25_000_000
    finally:
        tracemalloc.stop()
    assert lines == [b"before", b"after"]
    assert result == Followed(50_000_014, 2, 1)


async def test_a_long_line_within_the_limit(tmp_path: Path) -> None:
    """It comes whole."""
    path = tmp_path / "file"
    line = os.urandom(5_000_000).replace(b"\n", b" ")
    path.write_bytes(line + b"\n")
    assert (await followed(path))[0] == [line]


async def test_no_descriptor_is_held_while_nothing_is_written(tmp_path: Path) -> None:
    """PERF-5: a sleeping session costs no open file."""
    path = tmp_path / "file"
    path.write_bytes(b"one\n")
    ended = asyncio.Event()
    seen = asyncio.Event()
    following = asyncio.create_task(follow(path, lambda _: seen.set(), ended))
    await seen.wait()
    await asyncio.sleep(0.02)
    targets = [str(fd.resolve()) for fd in Path("/proc/self/fd").iterdir()]
    assert str(path) not in targets
    ended.set()
    await following


async def test_a_slow_reader_gives_the_loop_back(tmp_path: Path) -> None:
    """PERF-8: other tasks have their turns while lines are given out, line by line if need be."""
    path = tmp_path / "file"
    path.write_bytes(b"x\n" * 1000)
    turns = 0

    def slow(line: bytes) -> None:
        sum(range(50_000))

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    ended = asyncio.Event()
    ended.set()
    await follow(path, slow, ended)
    counting.cancel()
    await asyncio.wait([counting])
    assert turns > 10


async def test_a_reader_that_fails(tmp_path: Path) -> None:
    """Its error goes to who follows, and no task is left."""
    path = tmp_path / "file"
    path.write_bytes(b"x\n")

    def fail(line: bytes) -> None:
        raise ValueError(line)

    with pytest.raises(ValueError, match="x"):
        await follow(path, fail, asyncio.Event())


async def test_a_file_cut_short_is_read_on_from_its_new_end(tmp_path: Path) -> None:
    """An agent that truncates its output does not stop the reading."""
    path = tmp_path / "file"
    path.write_bytes(b"one\ntwo\n")
    lines: list[bytes] = []
    ended = asyncio.Event()
    following = asyncio.create_task(follow(path, lines.append, ended))
    while len(lines) < 2:
        await asyncio.sleep(0.001)
    path.write_bytes(b"")
    await asyncio.sleep(0.05)
    path.write_bytes(b"three\n")
    ended.set()
    await following
    assert lines == [b"one", b"two", b"three"]


def test_tail(tmp_path: Path) -> None:
    """The end of a file, whatever it holds."""
    path = tmp_path / "file"
    assert tail(path, 10) == ""
    path.write_bytes("0123456789é\n".encode() + b"\xff")
    assert tail(path, 100) == "0123456789é\n\ufffd"
    assert tail(path, 3) == "\ufffd\n\ufffd"
    assert tail(path, 0) == ""
