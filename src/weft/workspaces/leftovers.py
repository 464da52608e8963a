"""Worktrees that ended jobs left: whether they hold anything that is nowhere else, and removing those that do not."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

from weft.model.plan import WorkspaceSetup
from weft.workspaces.checkout import remove_worktree
from weft.workspaces.git import Git, GitFailed
from weft.workspaces.lookup import commits, is_ancestor
from weft.workspaces.mark import NAME, Mark, Purpose, read_mark
from weft.workspaces.repository import RepoFacts
from weft.workspaces.saving import PREFIX, add_all
from weft.workspaces.site import Site
from weft.workspaces.status import Status, read_status, under_way
from weft.workspaces.worktree import Worktree, admin_dirs, folder_of


class Leftover(msgspec.Struct, frozen=True):
    worktree: Worktree
    mark: Mark | None
    """Whose it is; None where nobody wrote that down."""

    @property
    def path(self) -> Path:
        return self.worktree.path


class Leftovers:
    """Those of one repo under Weft's folder `root`. Looking changes nothing."""

    def __init__(self, root: Path, git: Git, facts: RepoFacts) -> None:
        self._root = root.resolve()
        self._git = git
        self._facts = facts

    def found(self) -> list[Leftover]:
        worktrees = [(folder_of(admin), admin) for admin in admin_dirs(self._facts.common_dir)]
        return [
            Leftover(Worktree(path, admin), read_mark(admin / NAME))
            for path, admin in worktrees
            if path is not None and path.is_relative_to(self._root) and path.is_dir()
        ]

    async def only_there(self, leftover: Leftover) -> str | None:
        """What the worktree holds that neither its branch nor a saved ref has, in words; None: nothing."""
        worktree = leftover.worktree
        if leftover.mark is None:
            return "it has no mark that tells whose it is"
        if leftover.mark.purpose is Purpose.GATES:
            return None
        git = await self._site().git.get(worktree)
        try:
            status = await read_status(git, worktree)
        except GitFailed as failure:
            return f"git cannot read it: {failure}"
        if status.nested or (worktree.admin / "modules").exists():
            return "there are other git repos in it"
        if under_way(worktree.admin):
            return "a merge, a rebase or the like is under way in it"
        saved = await self._saved(git, worktree)
        if not await self._has_head(git, status, leftover.mark.branch, list(saved)):
            return "it has commits that are on no branch"
        if status.dirty and await self._tree(git, worktree) not in saved.values():
            return "it has changes that are not committed"
        return None

    async def remove(self, leftover: Leftover) -> None:
        await remove_worktree(leftover.worktree, self._site())

    def _site(self) -> Site:
        return Site(self._root, self._facts, self._git, WorkspaceSetup())

    async def _saved(self, git: Git, worktree: Worktree) -> dict[str, str]:
        """Trees by commit of what was saved for the job. Its folder's name is its part of the ref."""
        shape = "--format=%(objectname)%00%(tree)"
        text = await git.line("for-each-ref", shape, f"{PREFIX}/{worktree.path.name}/", cwd=self._facts.root)
        return dict(line.split("\0") for line in text.splitlines())

    async def _has_head(self, git: Git, status: Status, branch: str, saved: list[str]) -> bool:
        root = self._facts.root
        tip = (await commits(git, root, [f"refs/heads/{branch}"]))[0]
        for commit in [tip, *saved]:
            if status.head is None or (commit and await is_ancestor(git, root, status.head, commit)):
                return True
        return False

    async def _tree(self, git: Git, worktree: Worktree) -> str:
        """Of all that is in the folder, by a copy of the index."""
        index = worktree.admin / "weft-look-index"
        environment = {**worktree.environment, "GIT_INDEX_FILE": str(index)}
        try:
            shutil.copyfile(worktree.admin / "index", index)
            await add_all(git, worktree, (), index)
            return await git.line("write-tree", cwd=worktree.path, environment=environment)
        finally:
            index.unlink(missing_ok=True)
            index.with_name(f"{index.name}.lock").unlink(missing_ok=True)
