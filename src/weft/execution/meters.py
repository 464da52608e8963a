"""Usage meters: read from a file that something keeps up to date, or from what a command prints."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from pathlib import Path

import msgspec

from weft.errors import ProcessError
from weft.execution.attended import Ended, EndedBy, attend_or_end
from weft.model.gauges import MeterReading, UsageReading
from weft.processes import Launch, Warden
from weft.processes.follow import tail

LARGEST = 100_000
"""Bytes. Nobody has so many meters."""
SHORT = 200
GRACE = 1.0


class _Meters(msgspec.Struct):
    meters: list[MeterReading]


def parse_meters(data: bytes) -> UsageReading:
    """`{"meters": [{"name": "5h", "percent": 62.5}]}`, or a bare number: `62.5`, `62.5 %`."""
    text = data.strip()
    try:
        return _checked([MeterReading("usage", float(text.removesuffix(b"%")))])
    except ValueError:
        pass
    try:
        return _checked(msgspec.json.decode(text, type=_Meters).meters)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return UsageReading(unknown=f"neither a number nor meters as JSON ({error})" if text else "it is empty")


def _checked(meters: list[MeterReading]) -> UsageReading:
    wrong = [meter for meter in meters if not math.isfinite(meter.percent) or meter.percent < 0]
    if wrong:
        return UsageReading(unknown=f"`{wrong[0].percent}` is no percentage")
    return UsageReading(tuple(meters)) if meters else UsageReading(unknown="it has no meters")


class FileMeter:
    def __init__(self, path: Path) -> None:
        self._path = path

    async def read(self) -> UsageReading:
        try:
            data = await asyncio.to_thread(_start_of, self._path)
        except OSError as error:
            return UsageReading(unknown=f"`{self._path}` cannot be read: {error.strerror}")
        found = parse_meters(data)
        return UsageReading(unknown=f"`{self._path}`: {found.unknown}") if found.unknown else found


class CommandMeter:
    """Runs under the warden like an agent: it leaves nothing behind, and a slow one holds nothing up."""

    def __init__(
        self, warden: Warden, command: str, folder: Path, environment: Mapping[str, str], output: Path, timeout: float
    ) -> None:
        self._warden = warden
        self._command = command
        self._output = output
        self._errors = output.with_suffix(".err")
        self._timeout = timeout
        self._launch = Launch(("/bin/sh", "-c", command), folder, environment, stdout=output, stderr=self._errors)

    async def read(self) -> UsageReading:
        try:
            await asyncio.to_thread(self._clear)
            ended = await attend_or_end(
                self._warden, self._launch, timeout=self._timeout, grace=GRACE, name="usage meter"
            )
            found = await asyncio.to_thread(self._read, ended)
        except (OSError, ProcessError) as error:
            found = UsageReading(unknown=str(error))
        return UsageReading(unknown=f"`{self._command}`: {found.unknown}") if found.unknown else found

    def _clear(self) -> None:
        self._output.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for file in (self._output, self._errors):
            file.unlink(missing_ok=True)

    def _read(self, ended: Ended) -> UsageReading:
        if ended.by is EndedBy.TIMEOUT:
            return UsageReading(unknown=f"took longer than {self._timeout:g} s")
        if ended.by is not EndedBy.ITSELF:
            return UsageReading(unknown="was stopped")
        if ended.exit.status != 0:
            said = " ".join(tail(self._errors, SHORT).split())
            return UsageReading(unknown=f"exit status {ended.exit.status}" + (f": {said}" if said else ""))
        return parse_meters(_start_of(self._output))


def _start_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST)
