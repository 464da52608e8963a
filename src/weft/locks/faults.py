"""What a folder that takes no locks is told as: an error before work starts, never a run without a lock (LOCK-11)."""

from __future__ import annotations

import errno
import os

from weft.errors import LockFolderError

_HINTS = {
    errno.ENOSPC: "make room on the disk",
    errno.EDQUOT: "make room on the disk",
    errno.EMFILE: "raise the limit of open files with `ulimit -n`",
    errno.ENOLCK: "the file system has no kernel locks; move the folder with `WEFT_LOCKS_DIR`",
    errno.EOPNOTSUPP: "the file system has no kernel locks or links; move the folder with `WEFT_LOCKS_DIR`",
    errno.EPERM: "the file system may have no links; move the folder with `WEFT_LOCKS_DIR`",
}
_ELSEWHERE = "make it writable, or move it with `WEFT_LOCKS_DIR`"


def refused(folder: str | os.PathLike[str], error: OSError) -> LockFolderError:
    reason = error.strerror or type(error).__name__
    hint = _HINTS.get(error.errno or 0, _ELSEWHERE)
    return LockFolderError(f"the lock folder `{os.fspath(folder)}` cannot be used: {reason}", hint=hint)
