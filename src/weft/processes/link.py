"""One warden process and the conversation with it."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from weft.errors import ProcessError
from weft.processes import warden
from weft.processes.child import Child
from weft.processes.identity import Identity, identity_of
from weft.processes.launch import Exit, Launch
from weft.processes.orphans import end_orphans
from weft.processes.reaping import exit_of
from weft.processes.warden.kernel import become_subreaper
from weft.processes.wire import end_request, refusal, spawn_request, stop_request

PROGRAM = Path(warden.__file__).parent
LOST = Exit(status=-9, max_rss_kb=0, warden_died=True)
_living: set[int] = set()
"""The wardens of this process, so that one's death does not take another along."""
_log = logging.getLogger(__name__)


class WardenDiedError(ProcessError):
    """It is not known whether the process had started; it is gone now."""


class Started:
    """A request on its way: first its pid or a refusal, later its exit."""

    __slots__ = ("exit", "launch", "pid")

    def __init__(self, launch: Launch, loop: asyncio.AbstractEventLoop) -> None:
        self.launch = launch
        self.pid: asyncio.Future[int] = loop.create_future()
        self.exit: asyncio.Future[Exit] = loop.create_future()

    def hear(self, answer: dict[str, Any]) -> bool:
        """Take an answer; true if it was the last."""
        if "pid" in answer:
            _settle(self.pid, answer["pid"])
            return False
        if "errno" in answer:
            if not self.pid.done():
                self.pid.set_exception(refusal(self.launch, answer["where"], answer["errno"]))
            self.exit.cancel()
            return True
        _settle(self.exit, Exit(answer["status"], answer["max_rss_kb"]))
        return True

    def lose(self) -> None:
        if not self.pid.done():
            self.pid.set_exception(WardenDiedError(f"`{self.launch.argv[0]}` was ended: the warden died"))
        _settle(self.exit, LOST)


def _settle(future: asyncio.Future[Any], value: object) -> None:
    if not future.done():
        future.set_result(value)


class Link(asyncio.Protocol):
    """Requests out, answers in; `gone` is done when the warden and all it started are no more."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._unread = bytearray()
        self._started: dict[int, Started] = {}
        self._number = 0
        self._transport: asyncio.WriteTransport
        self._lost = asyncio.Event()
        self._closing = False
        self.gone: asyncio.Task[None]
        self.identity = identity_of(process.pid) or Identity(process.pid, "gone")

    # -- requests

    async def spawn(self, launch: Launch) -> Child:
        """Ask, and wait for the pid. Cancelled meanwhile, it waits until nothing of the process is left."""
        if self._closing:
            raise ProcessError(f"`{launch.argv[0]}` cannot be started any more: Weft is ending")
        self._number += 1
        number = self._number
        started = Started(launch, asyncio.get_running_loop())
        self._transport.write(spawn_request(number, launch))
        self._started[number] = started
        try:
            pid = await started.pid
        except asyncio.CancelledError:
            self.ask_stop(number, 0)
            await asyncio.wait([started.exit])
            raise
        return Child(pid, number, started.exit, self)

    def ask_stop(self, number: int, grace: float) -> None:
        """Once closing, all is being ended anyway."""
        if not self._closing:
            self._transport.write(stop_request(number, grace))

    def ask_end(self, number: int, sig: int, grace: float) -> None:
        if not self._closing:
            self._transport.write(end_request(number, sig, grace))

    def kill_all(self) -> None:
        for number in self._started:
            self.ask_stop(number, 0)

    @property
    def alive(self) -> bool:
        return not self._lost.is_set()

    def close(self) -> None:
        """Let go: the warden ends all and exits."""
        self._closing = True
        if not self._transport.is_closing():
            self._transport.write_eof()

    # -- answers

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        self.gone = asyncio.create_task(self._bury(), name="warden")

    def data_received(self, data: bytes) -> None:
        self._unread += data
        *lines, rest = self._unread.split(b"\n")
        self._unread = rest
        for line in lines:
            self._hear(json.loads(line))

    def _hear(self, answer: dict[str, Any]) -> None:
        if "defect" in answer:
            _log.error("the warden failed: %s", answer["defect"])
            return
        if self._started[answer["n"]].hear(answer):
            del self._started[answer["n"]]

    # -- the end

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost.set()

    async def _bury(self) -> None:
        """The last answers come before the socket's end; the warden's children are handed on only at its exit."""
        await self._lost.wait()
        await exit_of(self._process)
        _living.discard(self._process.pid)
        await end_orphans(spare=_living)
        for started in self._started.values():
            started.lose()
        self._started.clear()


async def start_warden() -> Link:
    """Start a warden of our own; Weft adopts what it leaves, should it die first."""
    become_subreaper()
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(  # noqa: ASYNC220
            [sys.executable, "-I", "-S", "-X", "utf8", str(PROGRAM)],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
            start_new_session=True,
        )
    _living.add(process.pid)
    _, link = await asyncio.get_running_loop().create_unix_connection(lambda: Link(process), sock=ours)
    return link
