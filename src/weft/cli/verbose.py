"""`--verbose`: agents' transcripts as they grow, each line under its job's name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from weft.model.events import AnyEvent, AttemptStarted, SessionEnded
from weft.model.ids import AttemptId, JobKey
from weft.model.layout import Layout
from weft.model.phase import StepKind
from weft.processes.follow import follow


class Transcripts:
    """Follows one transcript per session under way."""

    def __init__(self, layout: Layout, show: Callable[[JobKey, str], None]) -> None:
        self._layout = layout
        self._show = show
        self._following: dict[AttemptId, tuple[asyncio.Event, asyncio.Task[object]]] = {}

    async def take(self, event: AnyEvent) -> None:
        """To be told before anyone shows the event: a session's last lines come before its end."""
        match event:
            case AttemptStarted(attempt=attempt):
                ended = asyncio.Event()
                self._following[attempt] = ended, asyncio.create_task(self._follow(attempt, ended))
            case SessionEnded(attempt=attempt):
                await self._finish(attempt)

    async def close(self) -> None:
        for attempt in list(self._following):
            await self._finish(attempt)

    async def _finish(self, attempt: AttemptId) -> None:
        ended, following = self._following.pop(attempt, (None, None))
        if ended is not None and following is not None:
            ended.set()
            await following

    async def _follow(self, attempt: AttemptId, ended: asyncio.Event) -> None:
        path = Path(self._layout.transcript(attempt, StepKind.SESSION))
        await follow(path, lambda line: self._show(attempt.job, line.decode("utf-8", "replace")), ended)
