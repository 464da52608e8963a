"""Answers kept with their ETags: what has not changed is not sent again, and does not count against the limit."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
from pathlib import Path
from typing import Protocol

import msgspec

_MOST = 1000
"""Answers kept on disk; the oldest go first."""


class Answer(msgspec.Struct, frozen=True):
    etag: str
    body: bytes
    link: str | None = None
    """Where the next page is."""


class Answers(Protocol):
    """Kept by address. An answer is used only when the server says, for this token, that it still holds."""

    async def get(self, url: str) -> Answer | None: ...

    async def put(self, url: str, answer: Answer) -> None: ...


class AnswersInMemory:
    """For as long as the process lives."""

    def __init__(self) -> None:
        self._kept: dict[str, Answer] = {}

    async def get(self, url: str) -> Answer | None:
        return self._kept.get(url)

    async def put(self, url: str, answer: Answer) -> None:
        self._kept[url] = answer


class AnswersOnDisk:
    """In a folder of the state folder, so that the next run asks for little; one file per address, for the user alone.
    A file that cannot be read or written costs a request, nothing more.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def get(self, url: str) -> Answer | None:
        return await asyncio.to_thread(self._read, self._file(url))

    async def put(self, url: str, answer: Answer) -> None:
        await asyncio.to_thread(self._write, self._file(url), answer)

    def _file(self, url: str) -> Path:
        return self._folder / hashlib.sha256(url.encode()).hexdigest()

    def _read(self, file: Path) -> Answer | None:
        try:
            return msgspec.msgpack.decode(file.read_bytes(), type=Answer)
        except (OSError, msgspec.MsgspecError):
            return None

    def _write(self, file: Path, answer: Answer) -> None:
        aside = file.with_name(f"{file.name}.{os.getpid()}.new")
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
                out.write(msgspec.msgpack.encode(answer))
            aside.replace(file)
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        with os.scandir(self._folder) as listed:
            files = list(listed)
        if len(files) > _MOST:
            by_age = sorted(files, key=lambda file: file.stat().st_mtime)
            for file in by_age[: len(files) - _MOST * 9 // 10]:
                Path(file.path).unlink(missing_ok=True)
