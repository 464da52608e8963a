"""Guards that hold for every test: none may leave a process, a task or a changed environment behind."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from weft.processes import identity_of
from weft.processes.warden.kernel import become_subreaper, descendants_of

settings.register_profile("weft", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("weft")
# A busy machine is no defect of the product: how long an example takes says nothing.

PATIENCE = 2.0
"""Seconds a process that has been told to end may take to be gone."""
HELPERS_OF_PYTHON = (b"multiprocessing.resource_tracker", b"multiprocessing.forkserver")


@pytest.fixture(autouse=True)
def no_stray_processes() -> Iterator[None]:
    """Orphans of any shape come to the test process, so that they can be seen."""
    become_subreaper()
    before = set(_alive())
    yield
    until = time.monotonic() + PATIENCE
    while (left := _alive().keys() - before) and time.monotonic() < until:
        time.sleep(0.01)
    stray = {pid: command for pid, command in _alive().items() if pid in left}
    for pid in stray:
        os.kill(pid, signal.SIGKILL)
    assert not stray, f"processes left behind: {stray}"


@pytest.fixture(autouse=True)
def same_environment() -> Iterator[None]:
    before = _environment()
    yield
    assert _environment() == before


@pytest.fixture(autouse=True)
def no_stray_tasks(request: pytest.FixtureRequest) -> None:
    """Only where there is a loop to have tasks on."""
    if inspect.iscoroutinefunction(getattr(request, "function", None)):
        request.getfixturevalue("only_own_tasks")


@pytest.fixture
async def only_own_tasks() -> AsyncIterator[None]:
    yield
    left = asyncio.all_tasks() - {asyncio.current_task()}
    assert not left, f"tasks left behind: {left}"


def _alive() -> dict[int, bytes]:
    """Descendants of the test process, with their command lines; those that only wait to be reaped are dead."""
    below = [pid for pid in descendants_of([os.getpid()]) if pid != os.getpid()]
    commands = {pid: _command(pid) for pid in below if identity_of(pid) is not None}
    return {pid: command for pid, command in commands.items() if not _is_helper(command)}


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return b"?"


def _is_helper(command: bytes) -> bool:
    return any(helper in command for helper in HELPERS_OF_PYTHON)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
