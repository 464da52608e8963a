"""One worktree on disk: its folder, and the folder git keeps about it."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec


class Worktree(msgspec.Struct, frozen=True):
    path: Path
    admin: Path
    """`.git/worktrees/<name>` of the repo."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Names the worktree outright. Were git left to find it, an agent that removed or replaced `.git` would have
        Weft commit to whichever repo lies around the folder.
        """
        return {"GIT_DIR": str(self.admin), "GIT_WORK_TREE": str(self.path)}

    def restore_link(self) -> None:
        """Bring back the `.git` file, should an agent have removed or replaced it; what replaced it is put beside."""
        link = self.path / ".git"
        if self._link_is_right(link):
            return
        if link.is_symlink() or link.is_file():
            link.unlink()
        elif link.exists():
            link.rename(self.path.with_name(f"{self.path.name}.git-{time.time_ns()}"))
        link.write_bytes(os.fsencode(f"gitdir: {self.admin}\n"))

    def _link_is_right(self, link: Path) -> bool:
        if link.is_symlink() or not link.is_file():
            return False
        text = os.fsdecode(link.read_bytes()).removeprefix("gitdir: ").removesuffix("\n")
        return os.path.normpath(self.path / text) == str(self.admin)

    def clear_locks(self) -> None:
        """Take away lock files that git left when it was killed: nothing of this job is running now (RECOVER-5)."""
        for lock in self.admin.glob("*.lock"):
            lock.unlink(missing_ok=True)


def linked(path: Path, common_dir: Path) -> Worktree | None:
    """The worktree whose folder is `path`, where both its halves exist and agree."""
    for admin in admin_dirs(common_dir):
        if _pointed_at(admin) == path / ".git" and path.is_dir():
            return Worktree(path, admin)
    return None


def admin_dirs(common_dir: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        yield from sorted(entry for entry in (common_dir / "worktrees").iterdir() if entry.is_dir())


def folder_of(admin: Path) -> Path | None:
    pointed = _pointed_at(admin)
    return pointed.parent if pointed else None


def holders(branch: str, common_dir: Path) -> Iterator[Path]:
    """Folders of worktrees that have the branch checked out (or are in the middle of rebasing it), main included."""
    for worktree in holding(branch, common_dir):
        yield worktree.path


def holding(branch: str, common_dir: Path) -> Iterator[Worktree]:
    """The same with git's half of each; for the main checkout that is the repo's own folder."""
    if _on_branch(common_dir, branch):
        yield Worktree(common_dir.parent if common_dir.name == ".git" else common_dir, common_dir)
    for admin in admin_dirs(common_dir):
        if _on_branch(admin, branch):
            yield Worktree(folder_of(admin) or admin, admin)


def drop_broken(path: Path, common_dir: Path, *, making: bool) -> None:
    """Take away what is left in `.git/worktrees` of a worktree at `path`: its folder is gone, or a kill in the middle
    of `git worktree add` left it half made. Such a half breaks every git command of the repo that looks at worktrees.
    """
    for admin in list(admin_dirs(common_dir)):
        pointed = _pointed_at(admin)
        half_made = pointed is None and making and admin.name == path.name
        if half_made or (pointed == path / ".git" and not _whole(admin, path)):
            shutil.rmtree(admin)


def _whole(admin: Path, path: Path) -> bool:
    return path.is_dir() and _has_text(admin / "HEAD") and _has_text(admin / "commondir")


def _has_text(file: Path) -> bool:
    try:
        return bool(file.read_bytes().strip())
    except OSError:
        return False


def _pointed_at(admin: Path) -> Path | None:
    """The `.git` file it belongs to."""
    try:
        text = os.fsdecode((admin / "gitdir").read_bytes()).removesuffix("\n")
    except OSError:
        return None
    return Path(os.path.normpath(admin / text)) if text else None


def _on_branch(git_dir: Path, branch: str) -> bool:
    names = (("HEAD", f"ref: refs/heads/{branch}"), ("rebase-merge/head-name", f"refs/heads/{branch}"))
    for name, text in (*names, ("rebase-apply/head-name", f"refs/heads/{branch}")):
        with contextlib.suppress(OSError):
            if (git_dir / name).read_bytes().strip() == os.fsencode(text):
                return True
    return False
