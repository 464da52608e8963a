"""Short commands and their output."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weft.errors import ProcessError
from weft.processes import Completed, capture

if TYPE_CHECKING:
    from .conftest import Stage


async def test_input_outputs_and_status(stage: Stage) -> None:
    """All that a command says is kept apart and whole."""
    done = await capture(["sh", "-c", "cat; echo err >&2; exit 3"], cwd=stage.folder, env=stage.env, input=b"\xff\0in")
    assert done == Completed(3, b"\xff\0in", b"err\n")


async def test_large_input_and_output(stage: Stage) -> None:
    """Neither fills a pipe and stalls."""
    data = os.urandom(1 << 20) * 20
    done = await capture(["cat"], cwd=stage.folder, env=stage.env, input=data)
    assert done.stdout == data


async def test_a_signal(stage: Stage) -> None:
    """A command that a signal ended has a negative status."""
    done = await capture(["sh", "-c", "kill -TERM $$"], cwd=stage.folder, env=stage.env)
    assert done.status == -signal.SIGTERM


async def test_many_at_once(stage: Stage) -> None:
    """Each gets its own output."""
    commands = [capture(["sh", "-c", f"echo {n}"], cwd=stage.folder, env=stage.env) for n in range(50)]
    assert [int(done.stdout) for done in await asyncio.gather(*commands)] == list(range(50))


@pytest.mark.parametrize("script", ["sleep 600 & echo ready >out; wait", "trap '' TERM; echo ready >out; sleep 600"])
async def test_cancelled(stage: Stage, script: str) -> None:
    """A command is ended with its process group, and waited for, however often it is cancelled."""
    running = asyncio.create_task(capture(["sh", "-c", script, stage.mark], cwd=stage.folder, env=stage.env))
    await stage.ready(output=stage.folder / "out")
    running.cancel()
    await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert stage.alive() == []


async def test_timeout(stage: Stage) -> None:
    """The same when it takes too long."""
    with pytest.raises(TimeoutError):
        await capture(["sh", "-c", "sleep 600; :", stage.mark], cwd=stage.folder, env=stage.env, timeout=0.05)
    assert stage.alive() == []


async def test_output_held_open(stage: Stage) -> None:
    """A background process that keeps the output open holds nobody up."""
    done = await capture(["sh", "-c", "sleep 600 & echo $!"], cwd=stage.folder, env=stage.env)
    pid = int(done.stdout)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


@pytest.mark.parametrize(
    ("argv", "cwd", "message"),
    [
        (["missing-tool"], ".", "the program `missing-tool` was not found"),
        (["sh"], "missing", "missing` to run `sh` in does not exist"),
        ([], ".", "no program was given"),
        (["sh", "a\0b"], ".", "NUL"),
    ],
)
async def test_what_cannot_start(stage: Stage, argv: list[str], cwd: str, message: str) -> None:
    """It is told as for agents."""
    with pytest.raises(ProcessError) as raised:
        await capture(argv, cwd=stage.folder / cwd, env=stage.env)
    assert message in raised.value.message


async def test_no_descriptor_is_left(stage: Stage) -> None:
    """Whether it works or not."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    await capture(["true"], cwd=stage.folder, env=stage.env)
    with pytest.raises(ProcessError):
        await capture(["missing-tool"], cwd=stage.folder, env=stage.env)
    with pytest.raises(TimeoutError):
        await capture(["sleep", "600"], cwd=stage.folder, env=stage.env, timeout=0.01)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_capture_is_no_child_of_the_terminal() -> None:
    """RUN-14: Ctrl-C does not reach git in the middle of its work."""

    async def session() -> int:
        done = await capture(["sh", "-c", "ps -o sid= -p $$"], cwd=Path("/"), env=dict(os.environ))
        return int(done.stdout)

    own = int(subprocess.check_output(["ps", "-o", "sid=", "-p", str(os.getpid())]))
    assert asyncio.run(session()) != own
