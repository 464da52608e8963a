"""PERF-9: eight worktrees of a repo with 10,000 files, at once, against `git worktree add` one after the other."""

from __future__ import annotations

import asyncio
import shutil
import time
from pathlib import Path

from benchmarks.row import Row
from benchmarks.scene import environment, git, make_repo, own_folder, where
from weft.model.ids import JobKey, RunId
from weft.model.plan import Repo
from weft.ports import WorkspaceAsk
from weft.workspaces.git import Git
from weft.workspaces.worktrees import GitWorkspaces

FILES = 10_000
WORKTREES = 8
ROUNDS = 3


async def no_setup(command: str, folder: Path, name: str, checkout: Path) -> tuple[int, str]:
    raise AssertionError(f"{command} is not to run in {folder} for {name}")


def one_after_the_other(repo: Path, folder: Path) -> float:
    started = time.perf_counter()
    for number in range(WORKTREES):
        git(repo, "worktree", "add", "--quiet", "-b", f"plain-{number}", str(folder / f"plain-{number}"), "main")
    return time.perf_counter() - started


def take_away(repo: Path, folder: Path) -> None:
    for number in range(WORKTREES):
        shutil.rmtree(folder / f"plain-{number}")
    git(repo, "worktree", "prune")
    git(repo, "branch", "--quiet", "-D", *(f"plain-{number}" for number in range(WORKTREES)))


async def all_at_once(repo: Path, folder: Path) -> float:
    workspaces = GitWorkspaces(folder / "worktrees", Git(environment(folder).variables), no_setup)
    asks = [
        WorkspaceAsk(
            run=RunId("r-bench"),
            repo=Repo("repo", str(repo)),
            job=JobKey("repo", str(number)),
            branch=f"weft/{number}",
            base="main",
        )
        for number in range(WORKTREES)
    ]
    started = time.perf_counter()
    made = await asyncio.gather(*(workspaces.prepare(ask) for ask in asks))
    taken = time.perf_counter() - started
    for workspace in made:
        await workspace.close(remove_if_clean=True)
    return taken


def measure() -> list[Row]:
    """In turns; the best of each counts."""
    return [rows(in_memory=True), rows(in_memory=False)]


def rows(*, in_memory: bool) -> Row:
    plain, ours = [], []
    with own_folder(in_memory=in_memory) as folder:
        place = where(folder)
        files = {f"src/{number // 100}/file-{number}.py": f"# file {number}\n" * 10 for number in range(FILES)}
        repo = make_repo(folder, files)
        for _ in range(ROUNDS):
            plain.append(one_after_the_other(repo, folder))
            take_away(repo, folder)
            ours.append(asyncio.run(all_at_once(repo, folder)))
    work = f"workspaces: {WORKTREES} worktrees of {FILES:,} files, {place}"
    told = f"{min(ours):.2f} s; one after the other {min(plain):.2f} s"
    return Row(9, work, told, min(ours) / min(plain), required=0.5)
