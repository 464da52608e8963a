"""A real agent that is stopped in the middle of a tool leaves nothing running (AGENT-6).

Its tools are what makes this hard: each runs in a session of its own, and starts what outlives it.
"""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest
from tests.support.model_answers import Hang, Say, Shell, script
from tests.system.real_agents.conftest import MakeSeat
from tests.system.real_agents.seat import Seat

from weft.agents.options import ALIASES
from weft.execution.attended import EndedBy
from weft.model.phase import SandboxMode
from weft.model.plan import AgentKind
from weft.processes import identity_of

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]

DAEMONS = (
    'sh -c \'setsid sh -c "echo x > a.here; exec sleep 987" & nohup sh -c "echo x > b.here; exec sleep 987" '
    '>/dev/null 2>&1 & (sh -c "echo x > c.here; exec sleep 987" &) ; sleep 987\''
)
STARTED = ("a.here", "b.here", "c.here")


def alive(ground: Path) -> list[int]:
    """Processes with a trace of the test in their environment, command line or working directory."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    return [pid for pid in pids if pid != os.getpid() and identity_of(pid) is not None and _of(pid, ground)]


def _of(pid: int, ground: Path) -> bool:
    mark = os.fsencode(ground)
    try:
        told = [Path(f"/proc/{pid}/{name}").read_bytes() for name in ("environ", "cmdline")]
        told.append(os.fsencode(Path(f"/proc/{pid}/cwd").readlink()))
    except OSError:
        return False
    return any(mark in one for one in told)


@pytest.mark.parametrize("kind", list(ALIASES))
@pytest.mark.parametrize("by", [EndedBy.STOP, EndedBy.TIMEOUT])
async def test_nothing_survives(kind: AgentKind, by: EndedBy, make_seat: MakeSeat) -> None:
    """Stopped or out of time, in the middle of a tool with daemons (AGENT-6, TASK-15)."""
    seat = make_seat(kind)
    stop = asyncio.Event()
    patience = await time_to_start(seat) if by is EndedBy.TIMEOUT else 100
    session = asyncio.create_task(
        seat.session(
            script(Shell(DAEMONS), Hang()),
            sandbox_mode=SandboxMode.FULL,  # without a sandbox whose end takes all with it
            stop=stop,
            timeout=patience,
        )
    )
    await until_started(seat.work, session)
    assert len(alive(seat.ground)) >= len(STARTED)
    if by is EndedBy.STOP:
        stop.set()
    came = await session
    assert came.by is by
    assert came.outcome.failure is not None
    assert alive(seat.ground) == []


async def time_to_start(seat: Seat) -> float:
    """Long enough for this agent to reach its tool on this machine as it is now, several times over."""
    before = time.monotonic()
    await seat.session(script(Say("Hello")))
    return 5 + 4 * (time.monotonic() - before)


async def until_started(work: Path, session: asyncio.Task[object]) -> None:
    async with asyncio.timeout(60):
        while not all((work / name).exists() for name in STARTED):
            assert not session.done(), session.result()
            await asyncio.sleep(0.05)
