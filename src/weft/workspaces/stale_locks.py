"""Lock files that a dead run's git left in the part of a repo that all its worktrees share (RECOVER-5).

Git removes its locks when it ends, but not when it is killed, and whoever needs the same lock then fails for ever.
Those in a job's own worktree are cleared when that is taken up. Here it takes more care: another git may be at work.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

SETTLED = 1.0
"""Seconds that a lock must have been left alone: programs that use a git library cannot be told by their name."""
USERS_OWN = frozenset({"index.lock", "HEAD.lock"})
"""Of the main checkout, where Weft does nothing: a `git commit` may have its editor open."""
_LISTED = ("refs", "logs", "objects/info", "objects/pack", "info", "reftable")


def clear_stale_locks(root: Path, since: float) -> list[Path]:
    """Remove this user's locks that are younger than the run (it began at `since`) and have no owner; answers which."""
    common = common_dir_of(root)
    locks = [lock for lock in _locks(common) if _is_of_run(lock, since)] if common else []
    if common is None or not locks:
        return []
    seen = {lock: _stat(lock) for lock in locks}
    youngest = max((found.st_mtime for found in seen.values() if found), default=0.0)
    time.sleep(min(SETTLED, max(0.0, youngest + SETTLED - time.time())))
    if _git_is_at_work(root, common):
        return []
    return [lock for lock, found in seen.items() if found and _remove(lock, found)]


def clear_stale_lock(root: Path, lock: Path) -> bool:
    """Remove this one, if it has been left alone for long enough and no git that is older than it is at work."""
    common, found = common_dir_of(root), _stat(lock)
    if common is None or found is None or found.st_uid != os.geteuid() or found.st_mtime > time.time() - SETTLED:
        return False
    return not _git_is_at_work(root, common, before=found.st_mtime) and _remove(lock, found)


def common_dir_of(root: Path) -> Path | None:
    git = root / ".git"
    try:
        if git.is_file():
            git = root / os.fsdecode(git.read_bytes()).removeprefix("gitdir: ").strip()
        shared = git / "commondir"
        return git / os.fsdecode(shared.read_bytes()).strip() if shared.exists() else git
    except OSError:
        return None


def _locks(common: Path) -> Iterator[Path]:
    yield from (lock for lock in common.glob("*.lock") if lock.name not in USERS_OWN)
    for folder in _LISTED:
        yield from (common / folder).rglob("*.lock")


def _is_of_run(lock: Path, since: float) -> bool:
    found = _stat(lock)
    return found is not None and found.st_uid == os.geteuid() and found.st_mtime >= since - SETTLED


def _stat(lock: Path) -> os.stat_result | None:
    try:
        return lock.stat()
    except OSError:
        return None


def _remove(lock: Path, seen: os.stat_result) -> bool:
    """Only the very file that was looked at: no other can take its place while it is there."""
    found = _stat(lock)
    if found is None or (found.st_ino, found.st_mtime_ns) != (seen.st_ino, seen.st_mtime_ns):
        return False
    with contextlib.suppress(OSError):
        lock.unlink()
        return True
    return False


def _git_is_at_work(root: Path, common: Path, before: float = math.inf) -> bool:
    """One that was started `before` this time."""
    places = {str(root), str(common), *_worktrees(common)}
    return any(_works_in(process, places, before) for process in psutil.process_iter())


def _worktrees(common: Path) -> Iterator[str]:
    for pointer in common.glob("worktrees/*/gitdir"):
        with contextlib.suppress(OSError):
            yield str(Path(os.fsdecode(pointer.read_bytes()).strip()).parent)


def _works_in(process: psutil.Process, places: set[str], before: float) -> bool:
    try:
        if not process.name().startswith("git") or process.create_time() > before + SETTLED:
            return False
        at = [process.cwd(), process.environ().get("GIT_DIR", "")]
    except psutil.Error:
        return False
    return any(here == place or here.startswith(f"{place}/") for here in at for place in places)
