"""PERF-5: memory of the orchestrator: idle, per session in flight, and with a large plan."""

from __future__ import annotations

import asyncio
import gc
import shutil

import psutil

from benchmarks.row import Row
from benchmarks.scene import environment, own_folder, task_plan
from weft.assembly.local import open_local
from weft.model.events import AttemptStarted

SESSIONS = 200
TASKS = 10_000
MB = 2**20


def resident() -> int:
    gc.collect()
    return int(psutil.Process().memory_info().rss)


async def idle_and_sessions() -> tuple[int, float]:
    """Idle with the engine open; then what each of 200 sleeping agents adds."""
    sleep = shutil.which("sleep") or "/bin/sleep"
    with own_folder() as folder:
        async with open_local(environment(folder)) as local:
            idle = resident()
            run = await local.start(task_plan((sleep, "600"), SESSIONS, SESSIONS, folder))
            started = 0
            async for event in run.events():
                started += isinstance(event, AttemptStarted)
                if started == SESSIONS:
                    break
            await asyncio.sleep(1.0)
            each = (resident() - idle) / SESSIONS
            await run.stop(15)
            await run.finished()
    return idle, each


async def large_plan() -> int:
    true = shutil.which("true") or "/bin/true"
    with own_folder() as folder:
        async with open_local(environment(folder)) as local:
            run = await local.start(task_plan((true,), TASKS, 16, folder))
            await run.finished()
            return resident()


def measure() -> list[Row]:
    idle, each = asyncio.run(idle_and_sessions())
    whole = asyncio.run(large_plan())
    return [
        Row(5, "memory, idle", f"{idle / MB:.0f} MB", idle / MB, required=60, unit="MB"),
        Row(
            5, f"memory per session, {SESSIONS} sleeping", f"{each / 1024:.0f} KB", each / 1024, required=150, unit="KB"
        ),
        Row(
            5,
            f"memory with a plan of {TASKS:,} tasks, done",
            f"{whole / MB:.0f} MB",
            whole / MB,
            required=200,
            unit="MB",
        ),
    ]
