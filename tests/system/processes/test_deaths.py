"""Whoever is killed, nothing survives (AGENT-6, RECOVER-4)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weft.errors import ProcessError
from weft.processes import Identity, Warden, await_gone, end_marked, find_marked, identity_of, read_status

if TYPE_CHECKING:
    from .conftest import Stage

STAND_IN = Path(__file__).with_name("weft_stand_in.py")
SHAPES = ["plain", "own_session", "daemon", "deaf", "deaf_daemon", "stopped", "deep", "from_thread"]


class StandIn:
    """Another Weft, in a process of its own, with one session."""

    def __init__(self, stage: Stage, *shapes: str) -> None:
        self.stage = stage
        command = [sys.executable, str(STAND_IN), str(stage.folder), stage.mark, *shapes]
        self.process = subprocess.Popen(command, start_new_session=True)

    async def warden(self) -> Identity:
        path = self.stage.folder / "warden"
        await self.stage.until(path.exists)
        pid, started = path.read_text().split()
        return Identity(int(pid), started)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def other(stage: Stage) -> Iterator[StandIn]:
    stand_in = StandIn(stage, *SHAPES)
    yield stand_in
    stand_in.kill()


async def test_weft_killed(stage: Stage, other: StandIn) -> None:
    """AGENT-6: agents die with Weft, whatever kills Weft; recovery can wait for it (RECOVER-4)."""
    warden = await other.warden()
    await stage.ready(1 + len(SHAPES))
    other.kill()
    await await_gone(warden.pid, warden.started)
    assert stage.alive() == []
    assert read_status(stage.folder / "status") is None


async def test_weft_killed_at_any_moment(stage: Stage) -> None:
    """AGENT-6: also while the session is being started, at moments a little later each time."""
    for moment in range(12):
        other = StandIn(stage, "daemon", "deep", "deaf_daemon")
        warden = await other.warden()
        await asyncio.sleep(moment * 0.004)
        other.kill()
        await await_gone(warden.pid, warden.started)
        assert stage.alive() == []
        (stage.folder / "warden").unlink()


async def test_an_end_before_the_kill_is_known_after(stage: Stage) -> None:
    """A session that ended by itself just before Weft was killed is known to have ended."""
    other = StandIn(stage, "leave")
    status_file = stage.folder / "status"
    warden = await other.warden()
    await stage.until(status_file.exists)
    other.kill()
    await await_gone(warden.pid, warden.started)
    ended = read_status(status_file)
    assert ended is not None
    assert ended.status == 0


async def test_weft_and_warden_killed(stage: Stage, other: StandIn) -> None:
    """RECOVER-4: should both be killed at once, recovery finds the processes by their mark and ends them."""
    warden = await other.warden()
    await stage.ready(1 + len(SHAPES))
    unmarked = 2  # `daemon` and `deaf_daemon` cleared their environment and left their parents
    other.process.send_signal(signal.SIGSTOP)
    os.kill(warden.pid, signal.SIGKILL)
    other.kill()
    await await_gone(warden.pid, warden.started)
    assert {mark for _, mark in find_marked(stage.mark)} == {f"{stage.mark}/shop#1/exec/1"}
    await end_marked(stage.mark, grace=0.1)
    assert find_marked(stage.mark) == []
    left = stage.alive()
    assert len(left) == unmarked
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    await stage.until(lambda: stage.alive() == [])


async def test_other_runs_are_left_alone(stage: Stage, warden: Warden) -> None:
    """RECOVER-4: ending a run's processes does not touch another's, even if its name begins the same."""
    child = await warden.spawn(stage.tree())
    await stage.ready()
    assert [pid for pid, _ in find_marked(stage.mark)] == [child.pid]
    await end_marked(stage.mark[:-1], grace=0)
    assert stage.alive() == [child.pid]


async def test_warden_killed(stage: Stage, warden: Warden) -> None:
    """If the warden dies first, Weft ends what it had, tells so, and the next start finds a new warden."""
    child = await warden.spawn(stage.tree(*SHAPES))
    await stage.ready(1 + len(SHAPES))
    first = warden.identity
    os.kill(first.pid, signal.SIGKILL)
    ended = await child.wait()
    assert ended.warden_died
    assert stage.alive() == []
    assert identity_of(first.pid) is None
    again = await warden.spawn(stage.shell("exit 3"))
    assert (await again.wait()).status == 3
    assert warden.pid != first.pid
    assert (await child.stop(grace=1)) == ended


async def test_warden_killed_during_a_start(stage: Stage, warden: Warden) -> None:
    """A start that the warden's death cuts short is an error, not a hang."""
    os.kill(warden.pid, signal.SIGSTOP)
    starting = asyncio.create_task(warden.spawn(stage.tree()))
    await asyncio.sleep(0)
    os.kill(warden.pid, signal.SIGKILL)
    with pytest.raises(ProcessError, match="the warden died"):
        await starting
    assert stage.alive() == []


async def test_one_wardens_death_spares_another(stage: Stage, warden: Warden) -> None:
    """Two wardens of one process do not know of each other's sessions."""
    child = await warden.spawn(stage.tree("daemon"))
    await stage.ready(2)
    alive = set(stage.alive())
    async with Warden() as second:
        lost = await second.spawn(stage.shell("sleep 600"))
        os.kill(second.pid, signal.SIGKILL)
        assert (await lost.wait()).warden_died
        assert set(stage.alive()) == alive
    assert (await child.stop(grace=1)).status == -signal.SIGTERM


async def test_a_weft_within_an_agent(stage: Stage, warden: Warden) -> None:
    """AGENT-6: sessions of a Weft that an agent runs are the agent's descendants too, also if that Weft and its
    warden are killed; another session of ours is not touched."""
    bystander = await warden.spawn(stage.tree("daemon", stdout=stage.folder / "bystander"))
    await stage.ready(2, stage.folder / "bystander")
    spared = set(stage.alive())
    inner = stage.launch(
        sys.executable, str(STAND_IN), str(stage.folder), stage.mark, *SHAPES, stdout=stage.folder / "o"
    )
    child = await warden.spawn(inner)
    await stage.ready(1 + len(SHAPES))
    inner_warden = int((stage.folder / "warden").read_text().split()[0])
    os.kill(child.pid, signal.SIGSTOP)
    os.kill(inner_warden, signal.SIGKILL)
    os.kill(child.pid, signal.SIGKILL)
    assert (await child.wait()).status == -signal.SIGKILL
    assert set(stage.alive()) == spared
    await bystander.stop(grace=1)


async def test_an_orphan_that_sheds_its_tag(stage: Stage, warden: Warden) -> None:
    """One that sets its own limit is known by its mark; without that too it belongs to no session and is ended."""
    daemon = "setsid prlimit --rttime=200000 sh -c 'echo ready; exec sleep 600' sh " + stage.mark
    child = await warden.spawn(stage.shell(f"({daemon} &); (env -i {daemon} &); echo ready; read x", stdin=None))
    assert (await child.wait()).status in (0, 1)
    assert stage.alive() == []


async def test_signals_to_the_warden(stage: Stage, warden: Warden) -> None:
    """An agent that signals its parent, or a Ctrl-C that reaches the warden, ends nothing."""
    child = await warden.spawn(stage.shell("kill -INT $PPID; kill -TERM $PPID; kill -HUP $PPID; exit 5"))
    assert (await child.wait()).status == 5
    assert (await (await warden.spawn(stage.shell("exit 6"))).wait()).status == 6


async def test_ctrl_c_reaches_no_agent(stage: Stage, other: StandIn) -> None:
    """RUN-14: Ctrl-C goes to the terminal's foreground group; agents are not in it, so Weft decides how they end."""
    await stage.ready(1 + len(SHAPES))
    groups = {os.getpgid(pid) for pid in stage.alive() if pid != other.process.pid}
    sessions = {os.getsid(pid) for pid in stage.alive() if pid != other.process.pid}
    assert os.getpgid(other.process.pid) not in groups
    assert os.getsid(other.process.pid) not in sessions
    warden = await other.warden()
    assert os.getsid(warden.pid) == warden.pid
    os.killpg(other.process.pid, signal.SIGINT)
    await asyncio.to_thread(other.process.wait)
    assert stage.alive() == []
    assert "KeyboardInterrupt" not in stage.output.read_text()


async def test_agents_get_default_signals(stage: Stage, warden: Warden) -> None:
    """What the warden ignores, its children do not: an agent that is sent SIGINT by its own tools obeys."""
    child = await warden.spawn(stage.shell("kill -INT $$; exit 1"))
    assert (await child.wait()).status == -signal.SIGINT
