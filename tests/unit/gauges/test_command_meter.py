"""A usage meter that is a command, run under a real warden (WAVE-5)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.support.processes_of import processes_of

from weft.execution.meters import CommandMeter
from weft.model.gauges import MeterReading
from weft.processes import Warden


@pytest_asyncio.fixture
async def warden() -> AsyncIterator[Warden]:
    async with Warden() as started:
        yield started


def meter(warden: Warden, command: str, folder: Path, timeout: float = 60.0) -> CommandMeter:
    environment = {"PATH": os.environ["PATH"]}
    return CommandMeter(warden, command, folder, environment, folder / "run" / "usage.out", timeout)


async def test_what_it_prints_is_read(warden: Warden, tmp_path: Path) -> None:
    """In its folder, each time anew; what it says on stderr does not matter while it succeeds."""
    (tmp_path / "n").write_text("41")
    dial = meter(warden, "echo warning >&2; cat n", tmp_path)
    assert (await dial.read()).meters == (MeterReading("usage", 41.0),)
    (tmp_path / "n").write_text('{"meters": [{"name": "5h", "percent": 7}]}')
    assert (await dial.read()).meters == (MeterReading("5h", 7.0),)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("echo no such account >&2; exit 3", "exit status 3: no such account"),
        ("echo 50; exit 1", "exit status 1"),
        ("no-such-program-here", "exit status 127: "),
        ("true", "it is empty"),
        ("echo lots", "neither a number nor meters as JSON"),
    ],
)
async def test_a_command_that_fails_is_unknown(warden: Warden, tmp_path: Path, command: str, said: str) -> None:
    """Whatever it printed; the command and the reason are told."""
    unknown = (await meter(warden, command, tmp_path).read()).unknown or ""
    assert unknown.startswith(f"`{command}`: ")
    assert said in unknown


async def test_a_folder_that_is_gone_is_unknown(warden: Warden, tmp_path: Path) -> None:
    """A command that cannot even be started."""
    dial = CommandMeter(warden, "echo 1", tmp_path / "gone", {}, tmp_path / "usage.out", 60.0)
    assert "gone" in ((await dial.read()).unknown or "")


async def test_a_slow_command_is_ended(warden: Warden, tmp_path: Path) -> None:
    """With all it started, and usage is unknown."""
    unknown = (await meter(warden, f"sleep 300 & sleep 300; : {tmp_path}", tmp_path, timeout=0.2).read()).unknown or ""
    assert "took longer than 0.2 s" in unknown
    assert processes_of(tmp_path) == []


async def test_cancelled_it_leaves_nothing(warden: Warden, tmp_path: Path) -> None:
    """A run that ends while its meter is being read."""
    reading = asyncio.create_task(meter(warden, f"touch there; sleep 300; : {tmp_path}", tmp_path).read())
    while not (tmp_path / "there").exists():
        await asyncio.sleep(0.01)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert processes_of(tmp_path) == []
