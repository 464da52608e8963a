"""Every error that Weft raises on purpose.

WeftError                 exit 70 unless a class says otherwise
├── UsageError            2   bad flag, argument, setting, issue or task file; nothing was started
│   └── SettingsError     2   …in a settings file: names file, key and value
├── LockedError           3   another holder has it
├── LockFolderError       1   the folder for locks cannot be used; nothing was started
├── BudgetError           4   a budget or quota stopped it
├── StoreError            1   the database is locked, corrupt, full or too new
├── GitError              1   git said no
├── GithubError           1   GitHub said no, or could not be reached
├── WorkspaceError        1   a worktree could not be made, saved or removed
├── ProcessError          1   a program could not be started
└── DefectError          70   a bug in Weft: a state that should not be possible
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes, the same for every command."""

    OK = 0
    """All that was asked succeeded, or there was nothing to do."""
    FAILED = 1
    """Some work failed, made no change, was parked or cancelled; or the disk, the database or git said no."""
    USAGE = 2
    """Bad usage, settings or issue file; nothing was started."""
    LOCKED = 3
    """Refused: another holder has it."""
    BUDGET = 4
    """Stopped by a budget or quota."""
    DEFECT = 70
    """A defect in Weft; the message names a crash report file."""
    INTERRUPTED = 130
    """Ctrl-C; work in progress was saved."""
    TERMINATED = 143
    """SIGTERM; work in progress was saved."""


class WeftError(Exception):
    """Base of all; `hint` is what the user can do about it."""

    exit_code: ExitCode = ExitCode.DEFECT

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(WeftError):
    exit_code = ExitCode.USAGE


class SettingsError(UsageError):
    """A settings file or variable holds something wrong."""


class LockedError(WeftError):
    exit_code = ExitCode.LOCKED


class LockFolderError(WeftError):
    """Locks cannot be written: work without them is not an option."""

    exit_code = ExitCode.FAILED


class BudgetError(WeftError):
    exit_code = ExitCode.BUDGET


class StoreError(WeftError):
    exit_code = ExitCode.FAILED


class GitError(WeftError):
    exit_code = ExitCode.FAILED


class GithubError(WeftError):
    """`status` is the answer's, None where none came."""

    exit_code = ExitCode.FAILED

    def __init__(self, message: str, *, hint: str | None = None, status: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status


class WorkspaceError(WeftError):
    exit_code = ExitCode.FAILED


class ProcessError(WeftError):
    exit_code = ExitCode.FAILED


class DefectError(WeftError):
    """A bug: never the user's fault."""
