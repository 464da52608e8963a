"""Process trees of any shape end completely (AGENT-6, RUN-14)."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weft.processes import Warden

if TYPE_CHECKING:
    from .conftest import Stage

SHAPES = ["plain", "own_session", "daemon", "deaf", "deaf_daemon", "stopped", "deep", "from_thread"]


@pytest.mark.parametrize("shape", SHAPES)
async def test_stop_ends_every_shape(stage: Stage, warden: Warden, shape: str) -> None:
    """AGENT-6: stopping a session leaves no descendant, whatever it did to get away."""
    child = await warden.spawn(stage.tree(shape))
    await stage.ready(2)
    await child.stop(grace=0.1)
    assert stage.alive() == []


@pytest.mark.parametrize("shape", SHAPES)
async def test_nothing_outlives_a_normal_end(stage: Stage, warden: Warden, shape: str) -> None:
    """AGENT-6: when a session ends by itself, what it left behind is ended before its end is told."""
    child = await warden.spawn(stage.tree("leave", shape))
    ended = await child.wait()
    assert ended.status == 0
    assert stage.alive() == []


async def test_all_shapes_at_once(stage: Stage, warden: Warden) -> None:
    """RUN-14: SIGTERM, then SIGKILL after the grace, for the whole tree."""
    child = await warden.spawn(stage.tree(*SHAPES))
    await stage.ready(1 + len(SHAPES))
    ended = await child.stop(grace=0.2)
    assert ended.status == -signal.SIGTERM
    assert stage.alive() == []


@pytest.mark.parametrize("grace", [0.0, 0.05])
async def test_a_fork_bomb_is_ended(stage: Stage, warden: Warden, grace: float) -> None:
    """Processes that multiply and shed their parents while they are being ended are ended too."""
    child = await warden.spawn(stage.tree("bomb", "bomb"))
    await stage.ready(2)
    await child.stop(grace)
    assert stage.alive() == []


async def test_sigterm_lets_a_session_finish(stage: Stage, warden: Warden) -> None:
    """RUN-14: within the grace a session may still write, and its own exit status counts."""
    script = "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.01; done 2>/dev/null"
    child = await warden.spawn(stage.shell(script, stderr=stage.folder / "errors"))
    await stage.ready()
    assert (await child.stop(grace=10)).status == 7
    assert stage.output.read_text() == "ready\nbye\n"


async def test_a_second_stop_shortens_the_grace(stage: Stage, warden: Warden) -> None:
    """RUN-14: a user who asks twice does not wait for the grace of the first time."""
    child = await warden.spawn(stage.tree("deaf_daemon", "deaf"))
    await stage.ready(3)
    patient = asyncio.create_task(child.stop(grace=600))
    await asyncio.sleep(0)
    assert (await child.stop(grace=0)) == await patient


async def test_kill_all(stage: Stage, warden: Warden) -> None:
    """RUN-14: everything is killed at once on a second Ctrl-C."""
    children = [await warden.spawn(stage.tree("deaf")) for _ in range(3)]
    await stage.ready(6)
    warden.kill_all()
    assert [(await child.wait()).status for child in children] == [-signal.SIGKILL] * 3
    assert stage.alive() == []


async def test_one_session_ends_alone(stage: Stage, warden: Warden, tmp_path: Path) -> None:
    """Ending one session, or its normal end, does not touch another's descendants, orphans among them."""
    other = await warden.spawn(stage.tree("daemon", "deep", stdout=tmp_path / "other"))
    await stage.ready(3, tmp_path / "other")
    before = set(stage.alive())
    stopped = await warden.spawn(stage.tree("daemon"))
    await stage.ready(2)
    await stopped.stop(grace=0)
    await (await warden.spawn(stage.tree("daemon", "leave"))).wait()
    assert set(stage.alive()) == before
    await other.stop(grace=0)
    assert stage.alive() == []


async def test_orphans_of_a_living_session_live_on(stage: Stage, warden: Warden) -> None:
    """A server that an agent started in the background serves the agent until the agent ends, and is reaped at once
    when it ends earlier, so that `kill -0` tells the truth."""
    script = "(setsid sh -c 'echo $$ >server; exec sleep 600' &); while [ ! -s server ]; do sleep 0.01; done;"
    script += (
        "kill -0 $(cat server) && kill $(cat server); while kill -0 $(cat server) 2>/dev/null; do sleep 0.01; done"
    )
    child = await warden.spawn(stage.shell(script))
    assert (await child.wait()).status == 0


async def test_leaving_the_context_ends_everything(stage: Stage) -> None:
    """RUN-14: no way out of the context leaves a process, cancellation included."""

    async def run() -> None:
        async with Warden() as warden:
            await warden.spawn(stage.tree(*SHAPES))
            await stage.ready(1 + len(SHAPES))
            await asyncio.Event().wait()

    task = asyncio.create_task(run())
    await stage.ready(1 + len(SHAPES))
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stage.alive() == []


@pytest.mark.parametrize("shape", SHAPES)
async def test_asked_to_end_alone(stage: Stage, warden: Warden, shape: str) -> None:
    """RECOVER-7: the process itself is signalled, and what it leaves when it has ended is ended too."""
    child = await warden.spawn(stage.tree(shape))
    await stage.ready(2)
    child.ask(signal.SIGTERM, grace=0.1)
    assert (await child.wait()).status == -signal.SIGTERM
    assert stage.alive() == []


async def test_asked_in_vain_and_then_stopped(stage: Stage, warden: Warden) -> None:
    """RECOVER-7: who takes no notice is stopped like any other; to have been asked does not shorten the grace."""
    script = "trap 'echo ready again' INT; echo ready; while :; do sleep 0.01; done 2>/dev/null"
    child = await warden.spawn(stage.shell(script, stderr=stage.folder / "errors"))
    await stage.ready()
    child.ask(signal.SIGINT, grace=0.1)
    await stage.ready(2)
    assert not child.ended.done()
    assert (await child.stop(grace=5)).status == -signal.SIGTERM
