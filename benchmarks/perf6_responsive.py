"""WAVE-6: how soon an event is handled, and how late the loop is, while twenty gates of the merge queue run."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from benchmarks.perf8_output import beat
from benchmarks.row import Row
from benchmarks.scene import environment, make_repo, own_folder
from weft.assembly.ask_run import RunAsk, plan_for
from weft.assembly.local import open_journal, open_local
from weft.engine.run import Run
from weft.model.events import MergeGated, MergeMade
from weft.settings.load import load

GATES = 20
PAUSE = 0.02

SETTINGS = f"""\
agent = "mine"
[run]
merge = "queue"
phases = ["exec"]
concurrency = {GATES}
[merge]
target = "weft/bench"
window = {GATES}
[gates]
test = "for i in 1 2 3 4 5 6 7 8; do sleep 0.5; git log --stat; done"
lint = ""
typecheck = ""
[agents.mine]
kind = "command"
argv = ["/bin/sh", "-c", "echo work > $WEFT_JOB.txt"]
[machine]
max_load = 0
"""


async def ask_ever_again(run: Run, taken: list[float]) -> None:
    """An event like any other: it is done when it is on disk and what follows from it is under way."""
    while True:
        started = time.perf_counter()
        await run.set_cap(GATES)
        taken.append(time.perf_counter() - started)
        await asyncio.sleep(PAUSE)


async def gate_all(folder: Path) -> tuple[list[float], list[float]]:
    """(how long each event took, how late each beat was), from the first gate's start to the first one's end."""
    issues = {f"issues/{number}.md": f"---\ntitle: Issue {number}\n---\nDo it.\n" for number in range(1, GATES + 1)}
    here = environment(folder)._replace(folder=make_repo(folder, {"weft.toml": SETTINGS, **issues}))
    ask = RunAsk(tuple(str(number) for number in range(1, GATES + 1)))
    with open_journal(here) as journal:
        plan = await plan_for(ask, load(here), here, journal)
    taken: list[float] = []
    lags: list[float] = []
    watching: list[asyncio.Task[None]] = []
    async with open_local(here) as local:
        run = await local.start(plan)
        made = 0
        async for event in run.events():
            made += isinstance(event, MergeMade)
            if made == GATES and not watching:
                watching = [asyncio.create_task(ask_ever_again(run, taken)), asyncio.create_task(beat(lags))]
            elif isinstance(event, MergeGated) and watching:
                for task in watching:
                    task.cancel()
        assert made == GATES, f"{made} branches were built, not {GATES}"
    return taken, lags


def measure() -> list[Row]:
    with own_folder() as folder:
        taken, lags = asyncio.run(gate_all(folder))
    work = f"WAVE-6: {GATES} gates running"
    return [_row(f"{work}: an event handled, the slowest", taken), _row(f"{work}: loop lag, the most", lags)]


def _row(work: str, seconds: list[float]) -> Row:
    most, middle = max(seconds) * 1000, sorted(seconds)[len(seconds) // 2] * 1000
    return Row(6, work, f"{most:.0f} ms of {len(seconds)}, median {middle:.1f} ms", most, required=100, unit="ms")
