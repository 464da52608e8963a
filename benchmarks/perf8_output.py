"""PERF-8: fifty agents that each print 20,000 JSON lines as fast as they can."""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from pathlib import Path

from benchmarks.row import Bound, Row
from benchmarks.scene import environment, own_folder, task_plan
from weft.assembly.local import open_local
from weft.model.events import SessionEnded

AGENTS = 50
LINES = 20_000
BEAT = 0.005

PRINTER = f"""\
import sys
line = '{{"type":"usage","input_tokens":1,"output_tokens":2}}\\n'
for _ in range({LINES // 100}):
    sys.stdout.write(line * 100)
"""


async def beat(lags: list[float]) -> None:
    """How late the loop comes to what is due."""
    while True:
        due = time.perf_counter() + BEAT
        await asyncio.sleep(BEAT)
        lags.append(time.perf_counter() - due)


async def print_all(folder: Path) -> tuple[float, list[float], int]:
    program = folder / "printer.py"
    program.write_text(PRINTER)
    lags: list[float] = []
    lines = 0
    async with open_local(environment(folder)) as local:
        beating = asyncio.create_task(beat(lags))
        started = time.perf_counter()
        argv = (sys.executable, "-I", "-S", str(program))
        run = await local.start(task_plan(argv, AGENTS, AGENTS, folder, jsonl=True))
        async for event in run.events():
            if isinstance(event, SessionEnded):
                lines += event.outcome.usage.input_tokens
        taken = time.perf_counter() - started
        beating.cancel()
    return taken, lags, lines


def measure() -> list[Row]:
    """A line that was lost or mixed up would not be counted: each one says 1."""
    assert shutil.which("sh")
    with own_folder() as folder:
        taken, lags, lines = asyncio.run(print_all(folder))
    rate = lines / taken
    late = sorted(lags)[int(len(lags) * 0.99)] * 1000
    wrong = AGENTS * LINES - lines
    work = f"output: {AGENTS} agents × {LINES:,} JSON lines"
    return [
        Row(8, f"{work}: rate", f"{rate:,.0f} lines/s", rate, Bound.AT_LEAST, 100_000, "lines/s"),
        Row(
            8, f"{work}: lost or mixed", f"{lines:,} of {AGENTS * LINES:,} read", float(wrong), required=0, unit="lines"
        ),
        Row(
            8, f"{work}: loop lag p99", f"{late:.0f} ms, most {max(lags) * 1000:.0f} ms", late, required=100, unit="ms"
        ),
    ]
