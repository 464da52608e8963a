"""What a usage meter may say, and what it is when it cannot be read (WAVE-5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.execution.meters import FileMeter, parse_meters
from weft.model.gauges import MeterReading, UsageReading


@pytest.mark.parametrize("text", [b"62.5", b" 62.5\n", b"62.5%", b"62.5 %", b"+62.5"])
def test_a_bare_number(text: bytes) -> None:
    """One meter without a name."""
    assert parse_meters(text) == UsageReading((MeterReading("usage", 62.5),))


def test_meters_as_json() -> None:
    """Several, each with its name; further keys are passed over."""
    text = b'{"meters": [{"name": "5h", "percent": 62.5, "resets": "soon"}, {"name": "week", "percent": 7}], "v": 1}'
    assert parse_meters(text) == UsageReading((MeterReading("5h", 62.5), MeterReading("week", 7.0)))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"  \n",
        b"much",
        b"nan",
        b"inf",
        b"-1",
        b"[]",
        b"{}",
        b'{"meters": []}',
        b'{"meters": [{"name": "5h"}]}',
        b'{"meters": [{"name": "5h", "percent": "62"}]}',
        b'{"meters": [{"name": "5h", "percent": -3}]}',
        b'{"meters": [{"name": "5h", "per',
        b"\xff\xfe",
        b'{"meters": ' + b"[" * 5000,
    ],
)
def test_everything_else_is_unknown(text: bytes) -> None:
    """Never an error, never a guess: the reason is told."""
    found = parse_meters(text)
    assert found.meters == ()
    assert found.unknown


async def test_a_file(tmp_path: Path) -> None:
    """Read anew each time; missing, a folder, or half written it is unknown, and its path is named."""
    file = tmp_path / "usage.json"
    meter = FileMeter(file)
    assert (await meter.read()).unknown == f"`{file}` cannot be read: No such file or directory"
    file.write_text("61")
    assert (await meter.read()).meters == (MeterReading("usage", 61.0),)
    file.write_text('{"meters": [{"na')
    assert f"`{file}`: neither a number nor meters as JSON" in ((await meter.read()).unknown or "")
    assert (await FileMeter(tmp_path).read()).unknown == f"`{tmp_path}` cannot be read: Is a directory"
