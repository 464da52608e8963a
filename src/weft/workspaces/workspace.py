"""A job's workspace, as sessions and gates get it. Only `GitWorkspaces.prepare` makes one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from weft.errors import DefectError, WorkspaceError
from weft.ports import Closed, Committed
from weft.workspaces.checkout import bring_to, remove_worktree
from weft.workspaces.git import Git, GitFailed
from weft.workspaces.lookup import is_ancestor, objects
from weft.workspaces.mark import NAME, Mark, read_mark
from weft.workspaces.pending_merge import Left, forget_merge, unresolved
from weft.workspaces.reasons import explain, explain_os
from weft.workspaces.rejoin import rejoin
from weft.workspaces.saving import Saver, add_all, save_beyond
from weft.workspaces.site import Site
from weft.workspaces.status import Status, read_status, under_way
from weft.workspaces.worktree import Worktree, drop_broken

MADE = object()
"""Held by `prepare` alone."""


class Prepared(msgspec.Struct, frozen=True):
    """What making a workspace found out."""

    site: Site
    worktree: Worktree
    folder: str
    branch: str
    base: str
    head: str
    saved: tuple[str, ...]
    label: str
    """Marks git's processes as this job's, should Weft be killed under them."""


class GitWorkspace:
    def __init__(self, made: object, prepared: Prepared) -> None:
        if made is not MADE:
            raise DefectError("a workspace is made by `prepare` alone")
        self._prepared = prepared
        self._worktree = prepared.worktree
        self._site = prepared.site

    @property
    def path(self) -> Path:
        return self._worktree.path

    @property
    def branch(self) -> str:
        return self._prepared.branch

    @property
    def base(self) -> str:
        return self._prepared.base

    @property
    def head(self) -> str:
        return self._prepared.head

    @property
    def saved(self) -> tuple[str, ...]:
        return self._prepared.saved

    async def commit(self, message: str, since: str) -> Committed:
        with self._explained("committing"):
            git = await self._git()
            status = await self._status(git)
            left = await unresolved(git, self._worktree)
            if left != Left():
                return Committed(since, changed=False, empty=False, unresolved=left.marked, untouched=left.untouched)
            if status.branch == self.branch and status.head:
                await self._commit_here(git, status, message)
            else:
                await rejoin(self._saver(git), self._worktree, self.branch, status, since, message)
            forget_merge(self._worktree)
            return await self._committed(git, since)

    async def _commit_here(self, git: Git, status: Status, message: str) -> None:
        """The usual case. A merge under way is concluded with the files as they are: gates judge the result."""
        left = under_way(self._worktree.admin)
        if not status.dirty and not left:
            return
        await add_all(git, self._worktree, status.nested)
        # Status 1: nothing to commit after all, such as changes inside a submodule.
        command = ("commit", "--quiet", "--no-verify", "--cleanup=whitespace", "--allow-empty-message", "--file=-")
        at = self._worktree
        await git.run(*command, cwd=at.path, environment=at.environment, stdin=os.fsencode(message), accept=(0, 1))
        if left:
            await bring_to(git, self._worktree, self.branch, "HEAD")

    async def _committed(self, git: Git, since: str) -> Committed:
        ref = f"refs/heads/{self.branch}"
        names = [f"{ref}^{{commit}}", f"{ref}^{{tree}}", f"{self.base}^{{tree}}"]
        tip, tree, bases_tree = await objects(git, self._site.root, names)
        if tip is None:
            raise WorkspaceError(f"branch `{self.branch}` is gone from `{self._site.root}`")
        return Committed(tip, changed=tip != since, empty=tree == bases_tree)

    async def restore(self, head: str) -> tuple[str, ...]:
        with self._explained("restoring"):
            git = await self._git()
            status = await self._status(git)
            tip = await self._branch_tip(git, status)
            saved = await self._save_all(git, status, tip)
            if tip is not None and tip != head and (beyond := await save_beyond(self._saver(git), tip, head)):
                saved = (*saved, beyond)
            if saved or (status.branch, status.head) != (self.branch, head):
                await bring_to(git, self._worktree, self.branch, head)
            return saved

    async def tidy(self) -> None:
        with self._explained("tidying"):
            git = await self._git()
            status = await self._status(git)
            tip = status.head
            if status.branch != self.branch or tip is None:
                tip = await self._tip(git)
                await self._save_head(git, status, tip)
            elif not status.dirty and not under_way(self._worktree.admin):
                return
            await bring_to(git, self._worktree, self.branch, tip)

    async def tip(self) -> str:
        with self._explained("reading the branch"):
            return await self._tip(await self._git())

    async def changes(self) -> str:
        with self._explained("comparing"):
            git = await self._git()
            # Of the branch alone, also while a merge that brings the base in is not committed.
            span = f"{self.base}...refs/heads/{self.branch}"
            return await git.line("diff", "--no-ext-diff", "--no-textconv", "--stat", span, cwd=self._site.root)

    async def close(self, *, remove_if_clean: bool) -> Closed:
        with self._explained("closing"):
            if not self.path.is_dir():
                return await self._close_gone()
            git = await self._git()
            status = await self._status(git)
            tip = await self._branch_tip(git, status)
            saved = await self._save_all(git, status, tip)
            if saved or status.nested or not remove_if_clean or tip is None or self._has_submodules():
                return Closed(self.path, saved, tip)
            mark = read_mark(self._worktree.admin / NAME)
            await remove_worktree(self._worktree, self._site)
            return Closed(None, saved, await self._drop_unused(git, tip, mark))

    async def _close_gone(self) -> Closed:
        """Somebody removed the folder: what git still knows of it goes, its branch stays."""
        drop_broken(self.path, self._site.common_dir, making=False)
        git = await self._site.git.get()
        return Closed(None, (), (await objects(git, self._site.root, [f"refs/heads/{self.branch}^{{commit}}"]))[0])

    async def _branch_tip(self, git: Git, status: Status) -> str | None:
        if status.branch == self.branch:
            return status.head
        return (await objects(git, self._site.root, [f"refs/heads/{self.branch}^{{commit}}"]))[0]

    async def _save_all(self, git: Git, status: Status, tip: str | None) -> tuple[str, ...]:
        saver = self._saver(git)
        work = None
        if status.dirty or under_way(self._worktree.admin):
            work = await saver.save_work(self._worktree, status, tip)
        beside = await self._save_head(git, status, tip) if work is None else None
        return tuple(ref for ref in (work, beside) if ref)

    async def _save_head(self, git: Git, status: Status, tip: str | None) -> str | None:
        """Commits that HEAD has and the branch has not."""
        if status.head is None or status.head == tip:
            return None
        if tip and await is_ancestor(git, self._site.root, status.head, tip):
            return None
        return await self._saver(git).save_commit(status.head)

    async def _drop_unused(self, git: Git, tip: str, mark: Mark | None) -> str | None:
        """A branch that this run made and that holds nothing is taken away with its worktree."""
        if mark is None or not mark.new_branch or tip != self.base:
            return tip
        ref = f"refs/heads/{self.branch}"
        await git.run("update-ref", "-d", ref, tip, cwd=self._site.root)
        return None

    def _has_submodules(self) -> bool:
        """Commits made inside a submodule are in the worktree's own copy of it alone."""
        return (self._worktree.admin / "modules").exists()

    async def _git(self) -> Git:
        if not self._worktree.path.is_dir() or not self._worktree.admin.is_dir():
            raise WorkspaceError(f"the workspace `{self.path}` is gone", hint="what was committed is on its branch")
        git = await self._site.git.get(self._worktree)
        return git.with_environment({"WEFT_ATTEMPT": self._prepared.label})

    async def _status(self, git: Git) -> Status:
        """Nothing of the job runs now, so locks that git left are of the dead."""
        self._worktree.restore_link()
        self._worktree.clear_locks()
        return await read_status(git, self._worktree)

    async def _tip(self, git: Git) -> str:
        found = (await objects(git, self._site.root, [f"refs/heads/{self.branch}^{{commit}}"]))[0]
        if found is None:
            raise WorkspaceError(f"branch `{self.branch}` is gone from `{self._site.root}`")
        return found

    def _saver(self, git: Git) -> Saver:
        return Saver(git, self._site.root, self._prepared.folder)

    @contextlib.contextmanager
    def _explained(self, what: str) -> Iterator[None]:
        try:
            yield
        except GitFailed as failure:
            raise explain(what, self.path, failure) from failure
        except OSError as failure:
            raise explain_os(what, self.path, failure) from failure
