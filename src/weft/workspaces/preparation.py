"""One `prepare`, step by step: look, save, then make the worktree or bring it back."""

from __future__ import annotations

import asyncio
import shutil

import msgspec

from weft.errors import WorkspaceError
from weft.ports import WorkspaceAsk
from weft.workspaces.checkout import add_worktree, bring_to, remove_worktree, write_files
from weft.workspaces.furnish import RunSetup, furnish
from weft.workspaces.git import Git, GitFailed
from weft.workspaces.lookup import commits, is_ancestor
from weft.workspaces.mark import NAME, Mark, Stage, read_mark, write_mark
from weft.workspaces.pending_merge import begin_merge
from weft.workspaces.saving import PREFIX, Saver, save_beyond
from weft.workspaces.site import Site, folder_name
from weft.workspaces.start import start_commit
from weft.workspaces.status import Status, read_status, under_way
from weft.workspaces.workspace import Prepared
from weft.workspaces.worktree import Worktree, drop_broken, holders, linked


class Goal(msgspec.Struct, frozen=True):
    """Where the branch is, and where it shall be."""

    tip: str | None
    target: str
    base: str
    in_place: bool
    """Whether the job goes on, so that what is ignored in its folder stays."""


class Preparation:
    def __init__(self, site: Site, ask: WorkspaceAsk, writers: asyncio.Semaphore, run_setup: RunSetup) -> None:
        self._site = site
        self._ask = ask
        self._writers = writers
        self._run_setup = run_setup
        self._path = site.path(ask.job)
        self._intent = site.intent(ask.job)
        self._label = f"{ask.run}/{ask.job}"
        self._saved: list[str] = []

    async def run(self) -> Prepared:
        worktree, mark = self._look()
        self._clear_ref_locks()
        git = (await self._site.git.get(worktree)).with_environment({"WEFT_ATTEMPT": self._label})
        goal = await self._goal(git, mark)
        if worktree is not None:
            worktree = await self._bring_back(git, worktree, mark, goal)
        if worktree is None:
            worktree, mark = await self._make(git, mark, goal)
        await self._furnish(worktree, mark, goal)
        if self._ask.merge is not None:
            await begin_merge(git, worktree, self._ask.merge)
        return self._prepared(worktree, goal)

    def _prepared(self, worktree: Worktree, goal: Goal) -> Prepared:
        return Prepared(
            site=self._site,
            worktree=worktree,
            folder=folder_name(self._ask.job),
            branch=self._ask.branch,
            base=goal.base,
            head=goal.target,
            saved=tuple(self._saved),
            label=self._label,
        )

    # ------------------------------------------------------------ look

    def _look(self) -> tuple[Worktree | None, Mark | None]:
        """The job's worktree and its mark, where there are such. What is not the job's stops it."""
        intent = read_mark(self._intent)
        making = intent is not None and intent.is_of(self._ask.job)
        drop_broken(self._path, self._site.common_dir, making=making)
        worktree = linked(self._path, self._site.common_dir)
        mark = read_mark(worktree.admin / NAME) if worktree else None
        mark = mark or (intent if making else None)
        self._check_owner(worktree, mark)
        self._check_holders()
        return worktree, mark

    def _check_owner(self, worktree: Worktree | None, mark: Mark | None) -> None:
        theirs = mark is None or not mark.is_of(self._ask.job)
        if worktree and theirs:
            raise WorkspaceError(
                f"`{self._path}` is a worktree that is not {self._ask.job}'s",
                hint=f"git worktree move {self._path} <elsewhere>",
            )
        if worktree is None and self._path.exists() and theirs:
            raise WorkspaceError(f"`{self._path}` is in the way of {self._ask.job}", hint="move it elsewhere")

    def _check_holders(self) -> None:
        for holder in holders(self._ask.branch, self._site.common_dir):
            if holder != self._path:
                raise WorkspaceError(
                    f"branch `{self._ask.branch}` is checked out in `{holder}`, which Weft does not touch",
                    hint=f"check out another branch there: git -C {holder} switch -",
                )

    def _clear_ref_locks(self) -> None:
        """Lock files of git on this job's own refs: whoever made them is dead, since only one works on a job."""
        common = self._site.common_dir
        (common / "refs" / "heads" / f"{self._ask.branch}.lock").unlink(missing_ok=True)
        for lock in (common / PREFIX / folder_name(self._ask.job)).glob("*.lock"):
            lock.unlink(missing_ok=True)

    # ------------------------------------------------------------ decide

    async def _goal(self, git: Git, mark: Mark | None) -> Goal:
        ask, root = self._ask, self._site.root
        names = [self._start_name(), ask.base, f"refs/heads/{ask.branch}", ask.head or ask.base, *ask.starts_from]
        target, base, tip, head, *tips = await commits(git, root, names)
        base = target or base
        if target is not None and ask.repo.merge is not None:
            ask = msgspec.structs.replace(ask, base=ask.repo.merge.target)
        if base is None:
            raise WorkspaceError(
                f"base `{ask.base}` is not a commit of `{root}`", hint="commit something, fetch it, or set `run.base`"
            )
        if head is None:
            raise WorkspaceError(f"commit `{ask.head}` of {ask.job} is gone from `{root}`")
        if ask.head is None and not (ask.continue_branch and tip):
            start = await start_commit(git, root, ask, base, tips)
            return Goal(tip, start, start, in_place=False)
        goal = head if ask.head else str(tip)
        measured = ask.merge or await self._measure(git, mark, goal, base, tips)
        return Goal(tip, goal, measured, in_place=True)

    def _start_name(self) -> str:
        """Jobs start where those before them landed, once that is there (WAVE-11)."""
        into = self._ask.repo.merge
        return f"refs/heads/{into.target}" if into else self._ask.base

    async def _measure(self, git: Git, mark: Mark | None, target: str, base: str, tips: list[str | None]) -> str:
        """What the work is measured against when it goes on: as noted, else what the start would be now, else where
        it left the base.
        """
        root = self._site.root
        if mark and mark.stage is not Stage.MAKING and await self._has(git, target, mark.base):
            return mark.base
        start = await start_commit(git, root, self._ask, base, tips)
        if await self._has(git, target, start):
            return start
        done = await git.run("merge-base", start, target, cwd=root, accept=(0, 1))
        return done.stdout.decode().strip() or start

    async def _has(self, git: Git, commit: str, older: str) -> bool:
        try:
            return await is_ancestor(git, self._site.root, older, commit)
        except GitFailed:
            return False

    # ------------------------------------------------------------ bring back

    async def _bring_back(self, git: Git, worktree: Worktree, mark: Mark | None, goal: Goal) -> Worktree | None:
        """The worktree at the goal; or None when it was taken away, to be made afresh."""
        worktree.clear_locks()
        if mark is None or mark.stage is Stage.MAKING:
            # A kill in the middle of its making: no session was ever in it.
            await remove_worktree(worktree, self._site)
            return None
        worktree.restore_link()
        status = await read_status(git, worktree)
        clean = await self._save(git, worktree, status, goal)
        if not clean and not goal.in_place and not status.nested:
            await remove_worktree(worktree, self._site)
            return None
        if not clean or (status.head, status.branch) != (goal.target, self._ask.branch):
            await bring_to(git, worktree, self._ask.branch, goal.target)
        return worktree

    async def _save(self, git: Git, worktree: Worktree, status: Status, goal: Goal) -> bool:
        """Save all that the goal does not have; whether there was nothing of the kind."""
        saver = Saver(git, self._site.root, folder_name(self._ask.job))
        dirty = status.dirty or bool(under_way(worktree.admin))
        refs = [await saver.save_work(worktree, status, goal.tip)] if dirty else []
        beyond = dict.fromkeys(commit for commit in (status.head, goal.tip) if commit and commit != goal.target)
        refs += [await save_beyond(saver, commit, goal.target) for commit in beyond]
        self._saved += [ref for ref in refs if ref]
        return not dirty and not self._saved

    # ------------------------------------------------------------ make

    async def _make(self, git: Git, mark: Mark | None, goal: Goal) -> tuple[Worktree, Mark]:
        await self._save_branch(git, goal)
        made_before = mark is not None and mark.run == self._ask.run and mark.new_branch
        new = goal.tip is None
        mark = self._mark(goal, new_branch=new or made_before)
        if self._path.exists():
            shutil.rmtree(self._path)
        write_mark(self._intent, mark)
        worktree = await self._add(git, goal, new=new)
        async with self._writers:
            await write_files(git, worktree)
        mark = msgspec.structs.replace(mark, stage=Stage.CHECKED_OUT)
        write_mark(worktree.admin / NAME, mark)
        self._intent.unlink()
        return worktree, mark

    async def _save_branch(self, git: Git, goal: Goal) -> None:
        if goal.tip and goal.tip != goal.target:
            saver = Saver(git, self._site.root, folder_name(self._ask.job))
            ref = await save_beyond(saver, goal.tip, goal.target)
            self._saved += [ref] if ref and ref not in self._saved else []

    async def _add(self, git: Git, goal: Goal, *, new: bool) -> Worktree:
        try:
            return await add_worktree(git, self._site, self._path, self._ask.branch, goal.target, new=new)
        except GitFailed:
            if not self._path.exists():
                self._intent.unlink()
            raise

    def _mark(self, goal: Goal, *, new_branch: bool) -> Mark:
        ask = self._ask
        return Mark(run=ask.run, job=str(ask.job), branch=ask.branch, base=goal.base, new_branch=new_branch)

    # ------------------------------------------------------------ furnish

    async def _furnish(self, worktree: Worktree, mark: Mark | None, goal: Goal) -> None:
        """The set-up, where it was not finished before; then the mark of this run."""
        setup = self._ask.repo.workspace
        if mark is None or mark.stage is not Stage.FURNISHED:
            await furnish(setup, self._site.root, worktree.path, f"{folder_name(self._ask.job)}.setup", self._run_setup)
        own = mark is not None and mark.run == self._ask.run and mark.new_branch
        done = msgspec.structs.replace(self._mark(goal, new_branch=own), stage=Stage.FURNISHED)
        if done != mark:
            write_mark(worktree.admin / NAME, done)
