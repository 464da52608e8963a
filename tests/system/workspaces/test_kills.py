"""Kill -9 in the middle of making, saving and removing workspaces; a new process goes on and nothing is lost."""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.git_repo import GitRepo

from weft.processes import end_marked
from weft.workspaces import Git, GitWorkspaces

JOBS = 4

WORKER = """
import asyncio, os, sys
from pathlib import Path
from tests.git_repo import GitRepo
from weft.workspaces import Git, GitWorkspaces

async def setup(command, folder, log_name):
    return 0, ""

async def live(workspaces, repo, ident):
    made = await workspaces.prepare(repo.ask(ident, run=repo.run))
    repo.write("work.txt", ident, inside=made.path)
    done = await made.commit("work", made.head)
    print(f"committed {ident} {done.head}", flush=True)
    (made.path / "half.txt").write_text(ident)
    print(f"wrote {ident} {done.head}", flush=True)
    again = await workspaces.prepare(repo.ask(ident, run=repo.run, head=done.head))
    await again.close(remove_if_clean=True)

async def main(path, home, root, jobs, run):
    repo = GitRepo.opened(Path(path), Path(home))
    repo.run = run
    workspaces = GitWorkspaces(Path(root), Git(repo.environment), setup)
    print("ready", flush=True)
    await asyncio.gather(*(live(workspaces, repo, str(number)) for number in range(jobs)))

asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]))
"""


def run_of(root: Path) -> str:
    """A run of this test alone: what is left of it is found by its mark, and other tests run at the same time."""
    return f"r-{hashlib.sha256(os.fsencode(root)).hexdigest()[:12]}"


def killed_worker(repo: GitRepo, root: Path, calls: int) -> list[str]:
    """Let a process work until its git has been called so often, kill it, and tell what it had said by then."""
    home = repo.environment["HOME"]
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(repo.path), home, str(root), str(JOBS), run_of(root)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PATH": f"{root.parent}/bin:{os.environ['PATH']}", "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    (root.parent / "victim").write_text(f"{process.pid} {calls}")
    assert process.stdout is not None
    said = process.stdout.read().splitlines()
    process.stdout.close()
    process.wait()
    assert process.returncode == -signal.SIGKILL
    return said


GIT = """#!{python}
import fcntl, os, signal, sys
folder = {folder!r}
with open(folder + "/calls", "a+") as calls:
    fcntl.flock(calls, fcntl.LOCK_EX)
    calls.write("x")
    calls.flush()
    count = calls.tell()
pid, at = map(int, open(folder + "/victim").read().split())
if count == at:
    {when}
os.execv({git!r}, ["git", *sys.argv[1:]])
"""
BEFORE = "os.kill(pid, signal.SIGKILL)"
INSIDE = """child = os.spawnv(os.P_NOWAIT, {git!r}, ["git", *sys.argv[1:]])
    __import__("time").sleep({delay})
    os.kill(child, signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)
    os._exit(137)"""


def lay_trap(folder: Path, when: str) -> None:
    """A `git` that kills Weft, or git and Weft, at a given call."""
    real = subprocess.check_output(["which", "git"], text=True).strip()
    (folder / "bin").mkdir(exist_ok=True)
    trap = folder / "bin" / "git"
    trap.write_text(GIT.format(python=sys.executable + " -S", folder=str(folder), git=real, when=when))
    trap.chmod(0o755)
    (folder / "calls").write_text("")


async def no_setup(command: str, folder: Path, log_name: str, checkout: Path) -> tuple[int, str]:
    return 0, ""


async def check_recovery(repo: GitRepo, root: Path, said: list[str]) -> None:
    """A new process brings every job back, and all that was committed or written is found."""
    await end_marked(run_of(root), 1.0)
    committed = {line.split()[1]: line.split()[2] for line in said if line.startswith("committed")}
    wrote = {line.split()[1] for line in said if line.startswith("wrote")}
    workspaces = GitWorkspaces(root, Git(repo.environment), no_setup)
    asks = [repo.ask(str(number), run=run_of(root), head=committed.get(str(number))) for number in range(JOBS)]
    made = await asyncio.gather(*(workspaces.prepare(ask) for ask in asks))
    for number, each in enumerate(made):
        assert repo.git("status", "--porcelain", cwd=each.path) == ""
        assert each.head == committed.get(str(number), repo.tip("main"))
    saved = [(ref, repo.files(ref)) for ref in repo.saved()]
    for ident in wrote:
        kept = [ref for ref, files in saved if ref.startswith(f"refs/weft/saved/shop.{ident}/") and "half.txt" in files]
        assert kept, f"half.txt of {ident} is lost"
    for each in made:
        await each.close(remove_if_clean=True)
    assert not (repo.path / ".git" / "worktrees").exists()
    assert not (repo.path / ".git" / "weft-trash").exists()
    repo.git("fsck", "--strict", "--no-dangling")


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    made = GitRepo(tmp_path / "shop", tmp_path / "home")
    for number in range(200):
        made.write(f"d{number % 10}/f{number}.txt", f"{number}\n" * 50)
    made.commit("files")
    return made


@pytest.mark.parametrize("call", [3, 5, 8, 12, 16, 20, 26, 33, 40])
async def test_killed_before_a_call_of_git(repo: GitRepo, tmp_path: Path, call: int) -> None:
    """RECOVER-5: Weft dies between any two calls of git; a new process goes on, nothing is lost, the user's checkout
    is untouched.
    """
    lay_trap(tmp_path, BEFORE)
    before = repo.checkout_state()
    said = killed_worker(repo, tmp_path / "worktrees", call)
    await check_recovery(repo, tmp_path / "worktrees", said)
    assert repo.checkout_state() == before


@pytest.mark.full
@pytest.mark.parametrize("seed", range(40))
async def test_killed_inside_git(repo: GitRepo, tmp_path: Path, seed: int) -> None:
    """RECOVER-5: git and Weft are killed together at a random instant inside a call, lock files and halves left."""
    chance = random.Random(seed)
    real = subprocess.check_output(["which", "git"], text=True).strip()
    lay_trap(tmp_path, INSIDE.format(git=real, delay=chance.uniform(0.0, 0.006)))
    said = killed_worker(repo, tmp_path / "worktrees", chance.randint(3, 45))
    await check_recovery(repo, tmp_path / "worktrees", said)
