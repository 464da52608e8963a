"""Git's refusals in words that help."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from weft.errors import ProcessError, UsageError, WorkspaceError
from weft.workspaces.git import GitFailed

_READ_ONLY = "Read-only file system"
_KNOWN = (
    ("No space left on device", "the disk is full", "free some space, then run it again"),
    ("Disk quota exceeded", "the disk quota is used up", "free some space, then run it again"),
    (_READ_ONLY, "the file system is read-only", "mount it writable"),
    ("Permission denied", "Weft may not write there", "check who owns the folder and its `.git`"),
    ("insufficient permission", "Weft may not write there", "check who owns the folder and its `.git`"),
    ("dubious ownership", "another user owns the repo", "git config --global --add safe.directory <the repo>"),
    ("not a git repository", "it is not a git repository", "git init"),
    ("unable to read tree", "objects are missing in the repo", "git fsck"),
    ("bad object", "objects are missing in the repo", "git fsck"),
    ("index.lock': File exists", "another git process is at work there", "wait for it to end"),
)


def explain(what: str, where: Path, failure: GitFailed) -> WorkspaceError:
    """A git failure as the workspace's own: what was tried, where, and why it did not work."""
    said = f"{failure.stderr}\n{_READ_ONLY}" if _is_read_only(where) else failure.stderr
    for sign, reason, hint in _KNOWN:
        if sign in said:
            return WorkspaceError(f"{what} in `{where}` failed: {reason} ({failure})", hint=hint)
    return WorkspaceError(f"{what} in `{where}` failed: {failure}")


def _is_read_only(where: Path) -> bool:
    """Git does not always say that this is the reason."""
    git = where / ".git"
    try:
        place = os.fsdecode(git.read_bytes()).removeprefix("gitdir: ").strip() if git.is_file() else git
        return bool(os.statvfs(place).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def explain_os(what: str, where: Path, failure: OSError) -> WorkspaceError:
    """The same for what the file system refused."""
    text = failure.strerror or str(failure)
    hint = {errno.ENOSPC: _KNOWN[0][2], errno.EROFS: _KNOWN[2][2], errno.EACCES: _KNOWN[3][2]}.get(failure.errno or 0)
    subject = failure.filename or where
    return WorkspaceError(f"{what} in `{where}` failed: {text}: `{subject}`", hint=hint)


@contextlib.contextmanager
def explained(what: str, where: Path) -> Iterator[None]:
    """Whatever goes wrong inside is told as a WorkspaceError."""
    try:
        yield
    except GitFailed as failure:
        raise explain(what, where, failure) from failure
    except OSError as failure:
        raise explain_os(what, where, failure) from failure
    except (UsageError, ProcessError) as wrong:
        raise WorkspaceError(wrong.message, hint=wrong.hint) from wrong
