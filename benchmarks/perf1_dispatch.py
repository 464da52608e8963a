"""PERF-1: a thousand tasks of /bin/true, 16 at a time, through the engine with its durable journal."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.row import Bound, Row
from benchmarks.scene import environment, own_folder, task_plan
from weft.assembly.local import open_local

TASKS = 1_000
AT_ONCE = 16
ROUNDS = 3
WEFT = Path(sys.executable).with_name("weft")
PROGRAM = shutil.which("true") or "/bin/true"


async def bare() -> None:
    """What asyncio needs for nothing but starting them."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def one() -> None:
        async with slots:
            process = await asyncio.create_subprocess_exec(PROGRAM)
            await process.wait()

    async with asyncio.TaskGroup() as tasks:
        for _ in range(TASKS):
            tasks.create_task(one())


async def weft(*, in_memory: bool = False) -> float:
    """From the start of the run to its end; opening the engine is start-up, not dispatch."""
    with own_folder(in_memory=in_memory) as folder:
        async with open_local(environment(folder)) as local:
            started = time.perf_counter()
            run = await local.start(task_plan((PROGRAM,), TASKS, AT_ONCE, folder))
            await run.finished()
            return time.perf_counter() - started


def parallel(*, in_memory: bool) -> float:
    """The whole command, its start-up included."""
    with own_folder(in_memory=in_memory) as folder:
        (folder / "weft.toml").write_text(f'[agents.program]\nkind = "command"\nargv = ["{PROGRAM}"]\n')
        tasks = [{"backend": "program", "prompt": str(number)} for number in range(TASKS)]
        (folder / "tasks.json").write_text(json.dumps({"tasks": tasks, "max_parallel": AT_ONCE}))
        argv = [str(WEFT), "parallel", "--file", "tasks.json", "--quiet"]
        started = time.perf_counter()
        subprocess.run(argv, cwd=folder, env=dict(environment(folder).variables), check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - started


def seconds_bare() -> float:
    started = time.perf_counter()
    asyncio.run(bare())
    return time.perf_counter() - started


def gnu_parallel() -> float | None:
    program = shutil.which("parallel")
    if program is None:
        return None
    started = time.perf_counter()
    tasks = "\n".join(["x"] * TASKS)
    subprocess.run([program, "-j", str(AT_ONCE), PROGRAM, "#"], input=tasks, text=True, check=True)
    return time.perf_counter() - started


def xargs() -> float:
    started = time.perf_counter()
    tasks = "\n".join(["x"] * TASKS)
    subprocess.run(["xargs", "-P", str(AT_ONCE), "-n", "1", PROGRAM], input=tasks, text=True, check=True)
    return time.perf_counter() - started


def measure() -> list[Row]:
    """In turns, so that a busy machine disturbs all alike; the best of each counts."""
    ours, others, beside, memory = [], [], [], []
    for _ in range(ROUNDS):
        others.append(seconds_bare())
        ours.append(asyncio.run(weft()))
        memory.append(asyncio.run(weft(in_memory=True)))
        beside.append(xargs())
    rate, bare_rate = TASKS / min(ours), TASKS / min(others)
    work = f"dispatch {TASKS:,} × true, {AT_ONCE} at a time"
    told = f"{rate:,.0f}/s; bare asyncio {bare_rate:,.0f}/s, xargs {TASKS / min(beside):,.0f}/s"
    rows = [Row(1, f"{work}, against bare asyncio", told, rate / bare_rate, Bound.AT_LEAST, 0.5)]
    rate_in_memory = TASKS / min(memory)
    told = f"{rate_in_memory:,.0f}/s: the same without the disk under the state folder"
    rows.append(Row(1, f"{work}, state in memory", told, rate_in_memory / bare_rate, Bound.AT_LEAST, 0.5))
    for in_memory in (False, True):
        taken = min(parallel(in_memory=in_memory) for _ in range(ROUNDS))
        place = "in memory" if in_memory else "on disk"
        told = f"{TASKS / taken:,.0f}/s, start-up included"
        what = f"weft parallel, {TASKS:,} × true, {AT_ONCE} at a time, state {place}"
        rows.append(Row(1, what, told, TASKS / taken / bare_rate, Bound.AT_LEAST, 0.5))
    seconds = gnu_parallel()
    if seconds is None:
        rows.append(Row(1, f"{work}, against GNU parallel", "GNU parallel is not installed", None, Bound.AT_LEAST, 2.0))
    else:
        told = f"{rate:,.0f}/s; GNU parallel {TASKS / seconds:,.0f}/s"
        rows.append(Row(1, f"{work}, against GNU parallel", told, rate * seconds / TASKS, Bound.AT_LEAST, 2.0))
    return rows
