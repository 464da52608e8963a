"""Processes are told from later ones of the same number."""

from __future__ import annotations

import asyncio
import os
import subprocess

from weft.processes import Identity, await_gone, identity_of


def test_a_living_process_has_one_identity() -> None:
    """It does not change while the process lives."""
    assert identity_of(os.getpid()) == identity_of(os.getpid()) != None  # noqa: E711
    assert identity_of(os.getpid()) != identity_of(os.getppid())


async def test_waiting_for_a_process_that_is_not_ours_to_reap() -> None:
    """RECOVER-4: recovery waits for a dead run's warden; one that only waits to be reaped is gone."""
    process = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE)
    identity = identity_of(process.pid)
    assert identity is not None
    waiting = asyncio.create_task(await_gone(identity.pid, identity.started))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    assert process.stdin is not None
    process.stdin.close()
    await waiting
    assert identity_of(process.pid) is None
    process.wait()


async def test_a_number_given_to_another_is_not_waited_for() -> None:
    """The process meant is gone then."""
    await await_gone(os.getpid(), "another start")
    assert Identity(os.getpid(), "another start") != identity_of(os.getpid())
