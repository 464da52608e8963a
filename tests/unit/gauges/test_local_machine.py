"""Reading the machine, with real processes under a real warden (GOV-4)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from weft.execution import machine
from weft.execution.machine import LocalMachine, free_memory
from weft.model.gauges import MachineReading
from weft.model.ids import JobKey, RunId
from weft.model.job import Job
from weft.model.phase import Phase, Pipeline, StepKind
from weft.model.plan import AgentKind, AgentSpec, Mode, Plan
from weft.processes import Launch, Warden

RUN = RunId("r-1")
HUNGRY = """
import os, subprocess, sys
kept = b"x" * 60_000_000
child = "import sys; kept = b'x' * 40_000_000; print(flush=True); sys.stdin.read()"
pipe = subprocess.PIPE
below = subprocess.Popen([sys.executable, "-c", child], stdin=pipe, stdout=pipe)
below.stdout.readline()
open(sys.argv[1], "w").close()
os.read(os.open(sys.argv[2], os.O_RDONLY), 1)
below.stdin.close()
below.wait()
"""


def plan() -> Plan:
    pipeline = Pipeline("default", (Phase("exec", (StepKind.SESSION,), agent="mine"),))
    job = Job(key=JobKey("a/b", "1"), title="one", lane="shop")
    return Plan(Mode.SINGLE, (job,), 1, pipelines=(pipeline,), agents=(AgentSpec("mine", AgentKind.COMMAND),))


async def test_a_sessions_whole_tree_is_its_agents_need(tmp_path: Path) -> None:
    """What the session and its child use together is remembered under its agent when both are gone."""
    ready, gate = tmp_path / "ready", tmp_path / "gate"
    os.mkfifo(gate)
    async with Warden() as warden:
        gauge = LocalMachine(RUN, plan(), [tmp_path], lambda: warden.pid)
        assert (await gauge.read()).needs == ()
        environment = {**os.environ, "WEFT_ATTEMPT": "r-1/a/b#1/exec/2"}
        argv = (sys.executable, "-c", HUNGRY, str(ready), str(gate))
        child = await warden.spawn(Launch(argv, tmp_path, environment, stdout=tmp_path / "out"))
        reading = await _once(gauge, ready)
        gate.write_text("x")
        await child.wait()
        after = await gauge.read()
    (need,) = reading.needs
    assert need.agent == "mine"
    assert 100_000_000 < need.memory < 400_000_000
    assert 100_000_000 < reading.in_use <= need.memory
    assert (after.in_use, after.needs) == (0, reading.needs)


async def _once(gauge: LocalMachine, ready: Path) -> MachineReading:
    while True:
        there = ready.exists()
        reading = await gauge.read()
        if there:
            return reading


async def test_the_processes_of_another_run_are_not_counted(tmp_path: Path) -> None:
    """Two runs may share a warden; each knows its own sessions."""
    async with Warden() as warden:
        gauge = LocalMachine(RUN, plan(), [tmp_path], lambda: warden.pid)
        environment = {"PATH": os.defpath, "WEFT_ATTEMPT": "r-2/a/b#1/exec/1"}
        child = await warden.spawn(Launch(("sleep", "60"), tmp_path, environment, stdout=tmp_path / "out"))
        reading = await gauge.read()
        await child.stop(0)
    assert (reading.in_use, reading.needs) == (0, ())


async def test_figures_of_this_machine(tmp_path: Path) -> None:
    """All of them can be read here; a disk that is not there is passed over."""
    async with Warden() as warden:
        reading = await LocalMachine(RUN, plan(), [tmp_path / "no", tmp_path], lambda: warden.pid).read()
    assert reading.free_memory
    assert reading.free_disk
    assert reading.load is not None


def test_in_a_container_its_own_limit_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GOV-4: what the container may still have, files that can be dropped included; without a limit the machine's."""
    monkeypatch.setattr(machine, "CGROUP", tmp_path)
    outside = free_memory()
    assert outside is not None
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("4000\n")
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 500\n")
    assert free_memory() == 1500
    (tmp_path / "memory.max").write_text("max\n")
    assert (free_memory() or 0) > 1500
