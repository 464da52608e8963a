"""SQLite's errors in words that help the one who reads them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weft.errors import StoreError

_PRIMARY = 0xFF
"""The low byte of an extended result code is its primary code."""
_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_REFUSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)


def store_error(path: Path, error: sqlite3.Error) -> StoreError:
    """What went wrong with the database at `path`, and what to do about it."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY
    if code in _LOCKED:
        return StoreError(
            f"the database `{path}` stayed locked by another process",
            hint=f"find the process with `fuser {path}`, let it end, then try again",
        )
    if code in _DAMAGED:
        return damaged(path, str(error))
    if code == sqlite3.SQLITE_FULL:
        return StoreError(
            f"no space left for the database `{path}`",
            hint="free some space on its disk, then go on with `weft recover`",
        )
    if code in _REFUSED:
        return StoreError(
            f"the database `{path}` cannot be written: {error}",
            hint="check the owner and the mode of it and its folder",
        )
    return StoreError(f"the database `{path}` failed: {error}", hint="check its disk; `weft doctor` helps")


def damaged(path: Path, what: str) -> StoreError:
    return StoreError(
        f"the database `{path}` is damaged: {what}",
        hint=f"it was left as it is; `sqlite3 {path} .recover` prints what is readable; move it away to begin anew",
    )


def refused(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"cannot use the state folder `{path}`: {error.strerror}", hint="check its owner and mode, or set `WEFT_HOME`"
    )


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn SQLite's errors inside into StoreErrors."""
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(path, error) from error
