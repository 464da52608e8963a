"""Facts about a repo, for planning and for showing; nothing here changes a worktree."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from weft.errors import ProcessError, UsageError, WorkspaceError
from weft.model.plan import MergeInto
from weft.workspaces.checkouts import check_checkouts
from weft.workspaces.git import Git, GitFailed
from weft.workspaces.info_exclude import exclude
from weft.workspaces.lookup import commits, is_ancestor
from weft.workspaces.mark import NAME, read_mark
from weft.workspaces.saving import PREFIX
from weft.workspaces.start import merged_tree
from weft.workspaces.worktree import admin_dirs, folder_of


class RepoFacts(msgspec.Struct, frozen=True):
    root: Path
    """The main checkout, also when asked from one of its worktrees."""
    name: str
    common_dir: Path
    """The repo's `.git`."""


class SavedRef(msgspec.Struct, frozen=True):
    ref: str
    commit: str
    when: float
    subject: str


class OwnWorktree(msgspec.Struct, frozen=True):
    """A worktree of Weft's, and whom it is marked for; None where a kill left it without a mark."""

    path: Path
    run: str | None
    job: str | None


async def find_repo(git: Git, path: Path) -> RepoFacts:
    """The repo that `path` lies in; UsageError where there is none that Weft can work with."""
    wanted = ("--is-bare-repository", "--git-common-dir", "--git-dir")
    try:
        bare, common, own = (await git.line("rev-parse", "--path-format=absolute", *wanted, cwd=path)).split("\n")
    except GitFailed as failure:
        raise _no_repo(path, failure) from failure
    except ProcessError as failure:
        if path.is_dir():
            raise
        raise UsageError(f"`{path}` is not a folder") from failure
    if bare == "true":
        raise UsageError(f"`{path}` is a bare git repo, and Weft needs a checkout", hint="use a clone of it")
    common_dir = Path(common).resolve()
    root = await _main_checkout(git, path, common_dir, is_main=own == common)
    return RepoFacts(root, root.name, common_dir)


async def _main_checkout(git: Git, path: Path, common_dir: Path, *, is_main: bool) -> Path:
    if is_main:
        return Path(await git.line("rev-parse", "--show-toplevel", cwd=path)).resolve()
    if common_dir.name == ".git":
        return common_dir.parent
    done = await git.run("config", "core.worktree", cwd=common_dir, accept=(0, 1))
    set_to = os.fsdecode(done.stdout).strip()
    return (common_dir / set_to).resolve() if set_to else common_dir


def _no_repo(path: Path, failure: GitFailed) -> UsageError:
    if "dubious ownership" in failure.stderr:
        return UsageError(
            f"another user owns the git repo at `{path}`", hint=f"git config --global --add safe.directory {path}"
        )
    return UsageError(f"`{path}` is not in a git repo", hint="git init")


class Repository:
    """Questions about one repo."""

    def __init__(self, git: Git, facts: RepoFacts) -> None:
        self.facts = facts
        self._git = git
        self._at = facts.root

    async def default_base(self) -> str:
        """Where branches start by default: the remote's default branch, else the current one, else (detached) its
        commit.
        """
        for remote in await self.remotes():
            done = await self._ask("symbolic-ref", "-q", f"refs/remotes/{remote}/HEAD")
            if done and await self.resolve(done):
                return done
        return await self._ask("symbolic-ref", "-q", "HEAD") or await self._git.line("rev-parse", "HEAD", cwd=self._at)

    async def _ask(self, *args: str) -> str:
        done = await self._git.run(*args, cwd=self._at, accept=(0, 1))
        return os.fsdecode(done.stdout).strip()

    async def remotes(self) -> list[str]:
        """Names, `origin` first."""
        names = (await self._git.line("remote", cwd=self._at)).split()
        return sorted(names, key=lambda name: (name != "origin", name))

    async def remote_url(self, remote: str) -> str:
        """Where it is pushed to; to be asked before an agent begins, who might write another address there."""
        return await self._git.line("remote", "get-url", "--push", "--", remote, cwd=self._at)

    async def resolve(self, ref: str) -> str | None:
        """The commit, or None: a branch before a remote's branch, before a tag."""
        return (await commits(self._git, self._at, [ref]))[0]

    async def branch_tip(self, branch: str) -> str | None:
        return await self.resolve(f"refs/heads/{branch}")

    async def branch_tips(self, branches: list[str]) -> dict[str, str]:
        """Tips of those that exist, with one process."""
        found = await commits(self._git, self._at, [f"refs/heads/{branch}" for branch in branches])
        return {branch: tip for branch, tip in zip(branches, found, strict=True) if tip}

    async def branch_exists(self, branch: str) -> bool:
        return await self.branch_tip(branch) is not None

    async def is_merged(self, branch: str, into: str) -> bool:
        """Whether `into` has all of the branch's commits; False where either does not exist."""
        tip, target = await commits(self._git, self._at, [f"refs/heads/{branch}", into])
        return bool(tip and target) and await is_ancestor(self._git, self._at, str(tip), str(target))

    async def adds_nothing(self, branch: str, into: str) -> bool:
        """Whether merging the branch would change nothing: merged, squashed or picked, or never had a change."""
        tip, target = await commits(self._git, self._at, [f"refs/heads/{branch}", into])
        if tip is None or target is None or await is_ancestor(self._git, self._at, tip, target):
            return target is not None
        try:
            tree = await merged_tree(self._git, self._at, (target, into), (tip, branch))
        except WorkspaceError:
            return False  # where both changed the same lines there is something left
        return tree == await self._git.line("rev-parse", f"{target}^{{tree}}", cwd=self._at)

    async def has_commit(self, commit: str, within: str) -> bool:
        """Whether the commit is part of `within`; False where either is not there."""
        older, newer = await commits(self._git, self._at, [commit, within])
        return bool(older and newer) and await is_ancestor(self._git, self._at, str(older), str(newer))

    async def diff(self, branch: str, base: str) -> bytes:
        """What the branch changed since it left `base`."""
        return await self._diff(branch, base, "--binary")

    async def diff_stat(self, branch: str, base: str) -> str:
        return os.fsdecode(await self._diff(branch, base, "--stat"))

    async def _diff(self, branch: str, base: str, shape: str) -> bytes:
        found = dict(zip((branch, base), await commits(self._git, self._at, [branch, base]), strict=True))
        for name, commit in found.items():
            if commit is None:
                raise UsageError(f"`{name}` is not a branch or commit of `{self._at}`")
        span = f"{found[base]}...{found[branch]}"
        return (await self._git.run("diff", "--no-ext-diff", "--no-textconv", shape, span, cwd=self._at)).stdout

    async def saved_refs(self, folder: str | None = None) -> list[SavedRef]:
        """What was saved, for one job (its folder name) or all, oldest first."""
        shape = "--format=%(refname)%00%(objectname)%00%(committerdate:unix)%00%(subject)"
        where = f"{PREFIX}/{folder}/" if folder else f"{PREFIX}/"
        text = await self._git.line("for-each-ref", "--sort=refname", shape, where, cwd=self._at)
        rows = [line.split("\0", 3) for line in text.splitlines()]
        return [SavedRef(ref, commit, float(when or 0), subject) for ref, commit, when, subject in rows]

    async def check_branch_prefix(self, prefix: str) -> None:
        """Refuse a prefix that makes no valid branch name, or one that existing branches make impossible: git keeps
        no `weft/1` beside a branch named `weft`.
        """
        hint = "set another `branch_prefix` under `[run]`"
        done = await self._git.run("check-ref-format", f"refs/heads/{prefix}1-x", cwd=self._at, accept=(0, 1))
        if done.status or prefix.startswith("-"):
            raise UsageError(f"`branch_prefix` is `{prefix}`, which makes no valid branch name", hint=hint)
        parts = prefix.split("/")[:-1]
        above = ["/".join(parts[: count + 1]) for count in range(len(parts))]
        for branch in await self.branch_tips(above):
            raise UsageError(f"branch `{branch}` makes branches such as `{prefix}1-x` impossible in git", hint=hint)

    async def check_branch(self, branch: str) -> None:
        """Refuse a branch that cannot be made since others lie below its name (`weft/1-x/y`)."""
        text = await self._git.line(
            "for-each-ref", "--count=1", "--format=%(refname:short)", f"refs/heads/{branch}/", cwd=self._at
        )
        if text:
            raise UsageError(
                f"branch `{text}` makes the branch `{branch}` impossible in git", hint="rename or delete it"
            )

    async def check_target(self, into: MergeInto) -> None:
        """Refuse a branch that the merge queue could not land on, before anything starts."""
        hint = "set another `target` under `[merge]`"
        done = await self._git.run("check-ref-format", f"refs/heads/{into.target}", cwd=self._at, accept=(0, 1))
        if done.status or into.target.startswith("-"):
            raise UsageError(f"`merge.target` is `{into.target}`, which is no valid branch name", hint=hint)
        parts = into.target.split("/")[:-1]
        for above in await self.branch_tips(["/".join(parts[: count + 1]) for count in range(len(parts))]):
            raise UsageError(f"branch `{above}` makes the branch `{into.target}` impossible in git", hint=hint)
        await self.check_branch(into.target)
        try:
            await check_checkouts(self._git, self._at, self.facts.common_dir, into)
        except WorkspaceError as refusal:
            raise UsageError(refusal.message, hint=refusal.hint) from refusal

    def add_exclude(self, pattern: str) -> None:
        """Have git ignore what Weft writes inside the repo, by `.git/info/exclude`; once."""
        exclude(self.facts.common_dir, pattern)

    def orphan_worktrees(self, root: Path) -> list[OwnWorktree]:
        """Worktrees of this repo under Weft's folder `root`; whether their run lives is for the caller to know."""
        inside = root.resolve()
        found = [(folder_of(admin), read_mark(admin / NAME)) for admin in admin_dirs(self.facts.common_dir)]
        return [
            OwnWorktree(path, mark.run if mark else None, mark.job if mark else None)
            for path, mark in found
            if path and path.is_relative_to(inside)
        ]
