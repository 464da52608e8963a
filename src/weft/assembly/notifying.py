"""A listener beside a run that tells people who are away (UI-4). It never fails a run and never holds one up.

What was told is noted in the run's folder: whoever goes on with a run after a crash tells the rest, and repeats at most
the one message that was under way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from weft.agents.environment import agent_environment
from weft.board.notices import Notice, Notices
from weft.engine.run import Run
from weft.errors import UsageError
from weft.execution.notifying import NoticeCommand, Refused, Sender, Webhook
from weft.model.ids import RunId
from weft.model.layout import Layout
from weft.model.notice import NoticeKind
from weft.processes import Warden
from weft.settings.environment import Environment
from weft.settings.load import Loaded, load

PAUSES = (1.0, 2.0)
"""Seconds before the second and the third try."""
PATIENCE = 20.0
"""Seconds that the end of the process waits for the last messages."""
Warn = Callable[[str], None]


class Notifier:
    """Follows one run."""

    def __init__(self, senders: Sequence[Sender], kinds: Sequence[NoticeKind], folder: Path, warn: Warn) -> None:
        self._senders = senders
        self._kinds = frozenset(kinds)
        self._mark = folder / "notified"
        self._warn = warn
        self._silent: set[str] = set()
        """Senders that failed the last time: they are tried once, until they work again."""

    async def follow(self, run: Run) -> None:
        """Until the run is over. Events wait for it, not the run."""
        notices = Notices(run.id)
        told = self._told()
        async for event in run.events():
            for notice in notices.take(event):
                if notice.number > told:
                    await self._tell(notice)

    async def _tell(self, notice: Notice) -> None:
        if notice.kind in self._kinds:
            body = msgspec.json.encode(notice.document)
            await asyncio.gather(*(self._send(sender, notice, body) for sender in self._senders))
        try:
            await asyncio.to_thread(self._note, notice.number)
        except OSError as error:
            self._warn(f"warning: cannot note what was told of: {error}")

    async def _send(self, sender: Sender, notice: Notice, body: bytes) -> None:
        pauses = () if sender.name in self._silent else PAUSES
        refused = await sender.send(notice.number, body)
        for pause in pauses:
            if refused is None or not refused.again:
                break
            await asyncio.sleep(pause)
            refused = await sender.send(notice.number, body)
        self._judge(sender, notice, refused)

    def _judge(self, sender: Sender, notice: Notice, refused: Refused | None) -> None:
        if refused is None:
            self._silent.discard(sender.name)
            return
        self._silent.add(sender.name)
        self._warn(f"warning: {sender.name} was not told of `{notice.kind.value}`: {refused.why}")

    def _told(self) -> int:
        try:
            return int(self._mark.read_text("ascii"))
        except (OSError, ValueError):
            return 0

    def _note(self, number: int) -> None:
        """Written aside and moved into place: it is never half there."""
        self._mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        aside = self._mark.with_suffix(".new")
        aside.write_text(str(number), "ascii")
        aside.replace(self._mark)


def notifier_of(run: RunId, environment: Environment, layout: Layout, warden: Warden, warn: Warn) -> Notifier | None:
    """None where nobody is to be told. Settings that are wrong by now stop no run that goes on."""
    try:
        loaded = load(environment)
    except UsageError as error:
        warn(f"warning: nobody is told of this run: {error.message}")
        return None
    notify = loaded.settings.notify
    folder = Path(layout.run(run))
    senders: list[Sender] = [Webhook(notify.webhook)] if notify.webhook else []
    if notify.command:
        senders.append(_command(loaded, environment, warden, folder))
    return Notifier(senders, notify.on, folder, warn) if senders and notify.on else None


def _command(loaded: Loaded, environment: Environment, warden: Warden, folder: Path) -> NoticeCommand:
    notify = loaded.settings.notify
    given = agent_environment(environment.variables, notify.env, {})
    return NoticeCommand(warden, notify.command, loaded.folder, given, folder / "notices")


async def finish(tasks: Sequence[asyncio.Task[None]], warn: Warn, patience: float = PATIENCE) -> None:
    """Let the last messages go out, for so long."""
    if not tasks:
        return
    try:
        _, late = await asyncio.wait(tasks, timeout=patience)
        if late:
            warn(f"warning: not everybody was told of everything within {patience:g} s")
    finally:
        for task in tasks:
            task.cancel()
        for failed in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(failed, Exception):
                warn(f"warning: nobody was told any more: {type(failed).__name__}")
