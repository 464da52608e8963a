"""Telling people who are away: by a webhook, by a command. Neither ever fails or holds up a run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import msgspec

from weft.errors import ProcessError
from weft.execution.attended import Ended, EndedBy, attend_or_end
from weft.processes import Launch, Warden, tail

TRY = 5.0
"""Seconds that one try may take."""
GRACE = 1.0
SHORT = 300


class Refused(msgspec.Struct, frozen=True):
    """Why something was not sent."""

    why: str
    again: bool = True
    """Whether trying again may help."""


class Sender(Protocol):
    @property
    def name(self) -> str:
        """As it may be shown to anyone."""
        ...

    async def send(self, number: int, body: bytes) -> Refused | None:
        """None: it arrived. Must not raise."""
        ...


def shown_address(url: str) -> str:
    """The host alone: who knows the whole address of a webhook can write there."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}/…"


class Webhook:
    """Posts JSON. Any answer from 200 to 299 is well; it follows nobody elsewhere."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.name = f"the webhook at {shown_address(url)}"

    async def send(self, number: int, body: bytes) -> Refused | None:
        import httpx  # slow to import, and few have a webhook

        try:
            async with asyncio.timeout(TRY), httpx.AsyncClient(timeout=TRY) as client:
                headers = {"Content-Type": "application/json", "User-Agent": "weft"}
                answer = await client.post(self._url, content=body, headers=headers)
        except TimeoutError:
            return Refused(f"no answer within {TRY:g} s")
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            said = str(error).replace(self._url, shown_address(self._url))
            return Refused(said or type(error).__name__)
        if answer.is_success:
            return None
        passing = answer.status_code == httpx.codes.TOO_MANY_REQUESTS or answer.is_server_error
        return Refused(f"it answered {answer.status_code}", again=passing)


class NoticeCommand:
    """Runs a command with the JSON on its standard input, under the warden: it leaves nothing behind."""

    name = "the command `notify.command`"

    def __init__(
        self, warden: Warden, command: str, folder: Path, environment: Mapping[str, str], notices: Path
    ) -> None:
        self._warden = warden
        self._argv = ("/bin/sh", "-c", command)
        self._folder = folder
        self._environment = environment
        self._notices = notices

    async def send(self, number: int, body: bytes) -> Refused | None:
        given = self._notices / f"{number}.json"
        launch = Launch(self._argv, self._folder, self._environment, self._notices / f"{number}.log", stdin=given)
        try:
            await asyncio.to_thread(_write, given, body)
            ended = await attend_or_end(self._warden, launch, timeout=TRY, grace=GRACE, name="notify")
        except (OSError, ProcessError) as error:
            return Refused(str(error))
        return _judged(ended, launch.stdout)


def _write(path: Path, body: bytes) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_bytes(body)


def _judged(ended: Ended, output: Path) -> Refused | None:
    match ended.by:
        case EndedBy.TIMEOUT:
            return Refused(f"it took longer than {TRY:g} s")
        case EndedBy.ITSELF if ended.exit.status == 0:
            return None
        case EndedBy.ITSELF:
            said = " ".join(tail(output, SHORT).split())
            return Refused(f"exit status {ended.exit.status}" + (f": {said}" if said else ""))
        case _:
            return Refused("it was stopped")
