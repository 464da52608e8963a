"""Run a short command, such as git, and take its output."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import msgspec

from weft.errors import ProcessError
from weft.processes.launch import Launch
from weft.processes.reaping import exit_of
from weft.processes.wire import check, refusal

GRACE = 1.0
"""Seconds a cancelled command has to tidy up (git removes its lock files) before it is killed."""


class Completed(msgspec.Struct, frozen=True):
    status: int
    """Negative: the signal that ended it."""
    stdout: bytes
    stderr: bytes


async def capture(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    input: bytes = b"",  # noqa: A002 (as in `subprocess`)
    timeout: float | None = None,
) -> Completed:
    """Run to the end and answer with all it wrote. It is ended, with its process group, if this is cancelled or takes
    longer than `timeout` seconds (TimeoutError). It does not run under the warden: give it `WEFT_ATTEMPT` in `env`, so
    that recovery finds it should Weft be killed meanwhile.

    Output goes to anonymous files, not pipes: there is no reader to be slow, and a background process that keeps the
    output open (git's own maintenance may) holds nobody up.
    """
    launch = Launch(tuple(argv), cwd, env, stdout=Path(os.devnull))
    check(launch)
    with _anonymous() as stdin, _anonymous() as stdout, _anonymous() as stderr:
        stdin.write(input)
        stdin.seek(0)
        process = _start(launch, stdin, stdout, stderr)
        status = await _finish(process, timeout)
        return Completed(status, _content(stdout), _content(stderr))


async def _finish(process: subprocess.Popen[bytes], timeout: float | None) -> int:
    try:
        async with asyncio.timeout(timeout):
            return await exit_of(process)
    except BaseException:
        ending = asyncio.create_task(_end(process), name=f"end {process.pid}")
        while not ending.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.shield(ending)
        raise


async def _end(process: subprocess.Popen[bytes]) -> None:
    _signal_group(process, signal.SIGTERM)
    try:
        async with asyncio.timeout(GRACE):
            await exit_of(process)
    except TimeoutError:
        pass
    _signal_group(process, signal.SIGKILL)
    await exit_of(process)


def _signal_group(process: subprocess.Popen[bytes], sig: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, sig)


def _start(launch: Launch, stdin: IO[bytes], stdout: IO[bytes], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            launch.argv,
            cwd=launch.cwd,
            env=launch.env,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
    except OSError as error:
        at_fault = "program" if launch.cwd.is_dir() else "cwd"
        raise refusal(launch, at_fault, error.errno or 0) from error
    except ValueError as error:
        raise ProcessError(f"`{launch.argv[0]}` cannot start: {error}") from error


def _anonymous() -> IO[bytes]:
    """A file without a name, in memory where the system has such files."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("weft"), "w+b", buffering=0)
    return tempfile.TemporaryFile(buffering=0)


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
