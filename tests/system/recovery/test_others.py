"""Orphans of the dead run are ended; another run's processes, worktrees and claims are left alone (RECOVER-4)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.system.recovery.world import World, kill, kill_together, until

from weft.processes import find_marked, identity_of
from weft.stores.claims import read_claim

AGENT = """#!/bin/sh
printf 'start %s %s\\n' "$3" "$$" >> "$LEDGER"
echo done > "work.txt"
case $1 in exec) while ! [ -e {go} ]; do sleep 0.05; done ;; esac
"""


def world_of(folder: Path, state: Path) -> World:
    folder.mkdir()
    agent = folder / "agent.sh"
    agent.write_text(AGENT.format(go=folder / "go"))
    agent.chmod(0o755)
    world = World(folder, agent=agent)
    world.environment["WEFT_HOME"] = str(state)
    world.state = state
    return world


def in_exec(world: World) -> bool:
    return any("/exec/" in words[1] for words in world.noted())


@pytest.mark.parametrize("with_warden", [False, True])
def test_another_run_under_way(tmp_path: Path, with_warden: bool) -> None:
    """Two runs of one user in two repos: the death and the recovery of one are nothing to the other."""
    mine, other = (world_of(tmp_path / name, tmp_path / "state") for name in ("mine", "other"))
    others_process = other.start("run", "1", "--json")
    until(lambda: in_exec(other))
    (others_run,) = other.runs
    process = mine.start("run", "1", "--json")
    until(lambda: in_exec(mine))
    (run,) = set(mine.runs) - {others_run}
    before = others(others_run)
    dead = [pid for pid, _ in find_marked(run)]
    assert dead
    claim = read_claim(mine.state, run)
    assert claim is not None
    assert claim.warden is not None
    if with_warden:
        kill_together(process.pid, claim.warden.pid)
    else:
        kill(process.pid)
    mine.wait(process)
    (mine.folder / "go").touch()
    answer = mine.weft("recover", "--json")
    assert [job["status"] for job in answer.document["jobs"]] == ["passed"], answer.err
    assert [pid for pid in dead if identity_of(pid)] == []
    assert others(others_run) == before
    refused = other.weft("recover", others_run)
    assert refused.code == 3, refused.err
    assert others(others_run) == before
    (other.folder / "go").touch()
    ended = other.wait(others_process)
    assert [job["status"] for job in ended.document["jobs"]] == ["passed"], ended.err
    assert len(other.noted()) == 3, "each phase had one session"


def others(run: str) -> set[int]:
    """The agents at work; their shells' short-lived `sleep` come and go."""
    return {pid for pid, _ in find_marked(run) if _command(pid).startswith(b"/bin/sh")}


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_other_users_processes_are_not_even_looked_for(tmp_path: Path) -> None:
    """A mark that names the run is not enough: the process must be this user's."""
    if os.geteuid() != 0:
        pytest.skip("only root can start a process as another user")
    import subprocess

    argv = ["sleep", "600"]
    with subprocess.Popen(argv, user=65534, env={"WEFT_ATTEMPT": "r-1/shop#1/exec/1"}) as foreign:
        try:
            until(lambda: _command(foreign.pid).startswith(b"sleep"))
            assert foreign.pid not in [pid for pid, _ in find_marked("r-1")]
        finally:
            foreign.kill()
