"""Where a job's work starts: the base, with the branches it builds on merged in."""

from __future__ import annotations

import os
from pathlib import Path

from weft.errors import WorkspaceError
from weft.ports import WorkspaceAsk
from weft.workspaces.git import Git, readable
from weft.workspaces.saving import commit_tree


async def start_commit(git: Git, root: Path, ask: WorkspaceAsk, base: str, tips: list[str | None]) -> str:
    """The commit to start at. Made of the same parents it is the same commit, so a crash changes nothing."""
    for branch, tip in zip(ask.starts_from, tips, strict=True):
        if tip is None:
            raise WorkspaceError(f"branch `{branch}`, which {ask.job} starts from, does not exist in `{root}`")
    if ask.starts_from and not ask.onto_base:
        return str(tips[-1])
    start, name = base, ask.base
    for branch, tip in zip(ask.starts_from, tips, strict=True):
        start = await joined(git, root, (start, name), (str(tip), branch))
        name = branch
    return start


async def joined(git: Git, root: Path, ours: tuple[str, str], theirs: tuple[str, str]) -> str:
    """A commit that has both (commit, name): one of them where it has the other already, else a merge."""
    done = await git.run("merge-base", ours[0], theirs[0], cwd=root, accept=(0, 1))
    common = os.fsdecode(done.stdout).strip()
    if common == theirs[0]:
        return ours[0]
    if common == ours[0]:
        return theirs[0]
    tree = await merged_tree(git, root, ours, theirs)
    return await merge_commit(git, root, tree, (ours[0], theirs[0]), f"Merge {theirs[1]} into {ours[1]}")


async def merged_tree(git: Git, root: Path, ours: tuple[str, str], theirs: tuple[str, str]) -> str:
    """The tree of both (commit, name) merged; a conflict is an error that names the files."""
    tree, files = await merge_trees(git, root, ours[0], theirs[0])
    if files:
        listed = ", ".join(f"`{file}`" for file in files)
        raise WorkspaceError(
            f"branches `{ours[1]}` and `{theirs[1]}` conflict in {listed}",
            hint=f"merge `{theirs[1]}` into `{ours[1]}` by hand, then run it again",
        )
    return tree


async def merge_trees(git: Git, root: Path, ours: str, theirs: str) -> tuple[str, tuple[str, ...]]:
    """The tree of both commits merged, in no worktree at all, and the files in which they conflict, readably."""
    done = await git.run(
        "merge-tree",
        "--write-tree",
        "--allow-unrelated-histories",
        "--no-messages",
        "--name-only",
        "-z",
        ours,
        theirs,
        cwd=root,
        accept=(0, 1, 129),
    )
    if done.status == 129:
        raise WorkspaceError("merging branches needs git 2.38 or newer", hint="install a newer git")
    tree, *files = [readable(part) for part in done.stdout.split(b"\0") if part]
    return tree, tuple(dict.fromkeys(files)) if done.status == 1 else ()


async def merge_commit(git: Git, root: Path, tree: str, parents: tuple[str, str], message: str) -> str:
    """Dated as the younger parent, so that making it again gives the same commit."""
    text = await git.line("show", "-s", "--format=%ct", *parents, cwd=root)
    date = f"@{max(map(int, text.split()))} +0000"
    dated = git.with_environment({"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date})
    return await commit_tree(dated, root, tree, parents, message)
