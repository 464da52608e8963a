"""Wait for the end of a direct child without a thread where the kernel allows it."""

from __future__ import annotations

import asyncio
import os
import subprocess


async def exit_of(process: subprocess.Popen[bytes]) -> int:
    """Its exit status, once it has ended; safe to cancel."""
    fd = process_handle(process.pid)
    if fd is None:
        return await asyncio.to_thread(process.wait)
    try:
        await readable(fd)
    finally:
        os.close(fd)
    return process.wait()


def process_handle(pid: int) -> int | None:
    """A descriptor that stands for this very process and is readable once it has ended; None if there is none."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


async def readable(fd: int) -> None:
    """Return when `fd` can be read."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(fd, _resolve, ready)
    try:
        await ready
    finally:
        loop.remove_reader(fd)


def _resolve(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
