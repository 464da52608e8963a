"""The warden dies: alone, or together with its Weft (RECOVER-1, RECOVER-4)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.system.recovery.outcome import Outcome, check_nothing_paid_twice, outcome, recover_and_compare
from tests.system.recovery.world import ISSUES, World, kill, kill_together, until

from weft.assembly.claims import Claims
from weft.model.commands import PrepareWorkspace, RunSession
from weft.model.events import PhaseEnded, RunStarted, SessionEnded, WorkspaceReady
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job, JobStatus
from weft.model.outcome import Failure, PhaseStatus, SessionOutcome
from weft.model.phase import FailureClass, Phase, Pipeline, StepKind
from weft.model.plan import Mode, Plan, Repo
from weft.processes import Identity, Launch, Warden
from weft.processes.abandoned import find_abandoned
from weft.scheduler.state import State
from weft.scheduler.step import step
from weft.stores.claims import claim_run, read_claim

RUN = RunId("r-1")
DAEMON = """
import os, sys, time
os.setsid()
if os.fork():
    os._exit(0)
os.setsid()
os.chdir("/")
os.execve(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(600)", sys.argv[1]], {})
"""


def warden_of(world: World) -> int | None:
    """The one that the run under way has noted."""
    for run in world.runs:
        record = read_claim(world.state, run)
        if record is not None and record.warden is not None:
            return record.warden.pid
    return None


@pytest.mark.parametrize("sessions", [1, 4, 8])
def test_killed_alone(world: World, uninterrupted: Outcome, sessions: int) -> None:
    """Weft lives on: the sessions that went with the warden are made again under another, as if nothing had been."""
    process = world.start("run", *ISSUES, "--json")
    until(lambda: len(world.noted()) >= sessions)
    pid = warden_of(world)
    assert pid is not None
    kill(pid)
    answer = world.wait(process)
    assert outcome(world, answer) == uninterrupted._replace(checkout=world.checkout), answer.err
    (run,) = world.runs
    check_nothing_paid_twice(world, run)
    record = read_claim(world.state, run)
    assert record is not None
    assert record.warden is not None
    assert record.warden.pid != pid, "the next recovery would wait for the wrong one"


@pytest.mark.parametrize("sessions", [1, 5])
def test_killed_together(world: World, uninterrupted: Outcome, sessions: int) -> None:
    """Nobody is left to end the agents: recovery does."""
    process = world.start("run", *ISSUES, "--json")
    until(lambda: len(world.noted()) >= sessions)
    pid = warden_of(world)
    assert pid is not None
    kill_together(process.pid, pid)
    world.wait(process)
    recover_and_compare(world, uninterrupted, look=False)


def test_a_killed_recovery_leaves_word_of_the_first_warden(tmp_path: Path) -> None:
    """Who claims a run knows of all wardens before, until they are known to be gone."""
    first, second = Identity(4_000_001, "boot-1"), Identity(4_000_002, "boot-2")
    with Claims(tmp_path) as claims:
        claims.take(RUN, first)
    with Claims(tmp_path) as claims:
        assert claims.take(RUN, second).earlier == (first,)  # and is killed here
    with claim_run(tmp_path, RUN) as claim:
        assert claim.earlier == (first, second)
        claim.forget_earlier()
    with claim_run(tmp_path, RUN) as claim:
        assert claim.earlier == ()


def test_a_new_warden_is_noted(tmp_path: Path) -> None:
    """Every claim names the warden that works for it now."""
    with Claims(tmp_path) as claims:
        claims.take(RUN, Identity(4_000_001, "boot-1"))
        claims.note_warden(Identity(4_000_002, "boot-2"))
        record = read_claim(tmp_path, RUN)
    assert record is not None
    assert record.warden == Identity(4_000_002, "boot-2")


# ---------------------------------------------------------------- what no warden ends


def daemons(mark: str) -> list[int]:
    found = [entry for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    return [int(entry.name) for entry in found if mark.encode() in _command(entry) and b"time.sleep" in _command(entry)]


def _command(entry: Path) -> bytes:
    try:
        return (entry / "cmdline").read_bytes()
    except OSError:
        return b""


async def test_abandoned_are_told_from_those_of_a_living_warden(tmp_path: Path) -> None:
    """A daemon without mark or environment is found once its warden is gone, and only then."""
    mark = f"daemon-of-{tmp_path.name}-{os.getpid()}"
    launch = Launch((sys.executable, "-S", "-c", DAEMON, mark), tmp_path, {"PATH": ""}, tmp_path / "output")
    async with Warden() as warden:
        child = await warden.spawn(launch)
        assert not {each.pid for each in find_abandoned()} & {child.pid, *daemons(mark)}
        await child.wait()
    assert daemons(mark) == []


def test_daemons_of_a_run_that_died_with_its_warden(tmp_path: Path, uninterrupted: Outcome) -> None:
    """Agents that left daemons in sessions of their own, with no environment: none survives (RECOVER-4)."""
    mark = f"daemon-of-{tmp_path.name}-{os.getpid()}"
    agent = tmp_path / "agent.sh"
    agent.write_text(
        f"#!/bin/sh\n{sys.executable} -S -c '{DAEMON}' {mark}\necho start >> \"$LEDGER\"\nexec sleep 600\n"
    )
    agent.chmod(0o755)
    world = World(tmp_path, agent=agent)
    process = world.start("run", *ISSUES, "--json")
    until(lambda: len(world.noted()) >= 3 and len(daemons(mark)) >= 3)
    pid = warden_of(world)
    assert pid is not None
    kill_together(process.pid, pid)
    world.wait(process)
    assert len(daemons(mark)) >= 3, "nothing to be found: the test proves nothing"
    agent.write_text("#!/bin/sh\nexit 1\n")
    assert world.weft("recover", "--json").code == 1
    assert daemons(mark) == []


# ---------------------------------------------------------------- the scheduler's part


def test_attempts_are_not_lost_for_ever() -> None:
    """An attempt that its warden took along is made again, with a number of its own; but only so often."""
    phase = Phase("exec", (StepKind.SESSION,), agent="mine", writes=True)
    key = JobKey("shop", "1")
    plan = Plan(
        mode=Mode.SINGLE,
        jobs=(Job(key, "Thing", "shop", branch="weft/1"),),
        cap=1,
        repos=(Repo("shop", "/shop"),),
        pipelines=(Pipeline("default", (phase,)),),
    )
    state, outcomes = State(RUN), []
    commands = step(state, RunStarted(at=1.0, plan=plan))
    lost = SessionOutcome(failure=Failure(FailureClass.LOST, "lost the process that had started it"))
    for number in range(1, 10):
        assert PrepareWorkspace(key, head=None if number == 1 else "abc") in commands, number
        commands = step(state, WorkspaceReady(at=2.0, job=key, path="/w", head="abc", base="abc"))
        session = next(command for command in commands if isinstance(command, RunSession))
        assert session.attempt == AttemptId(RUN, key, "exec", number)
        commands = step(state, SessionEnded(at=3.0, attempt=session.attempt, outcome=lost))
        notes = [getattr(command, "note", None) for command in commands]
        outcomes += [note.status for note in notes if isinstance(note, PhaseEnded)]
        if outcomes[-1] is not PhaseStatus.LOST:
            break
    assert outcomes == [PhaseStatus.LOST] * 3 + [PhaseStatus.FAILED]
    ending = state.job(key).ending
    assert ending is not None
    assert ending.status is JobStatus.FAILED
