"""The mark that tells whose a worktree is. It lies in git's own folder for the worktree, out of the agents' way."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path

import msgspec

from weft.model.ids import JobKey

NAME = "weft.json"


class Stage(Enum):
    """How far the making of a worktree came."""

    MAKING = "making"
    """No session was ever in it."""
    CHECKED_OUT = "checked_out"
    FURNISHED = "furnished"
    """The `[workspace]` set-up is done too."""


class Purpose(Enum):
    JOB = "job"
    """A job's own: its agents work in it."""
    GATES = "gates"
    """For the gates of the merge queue alone: nothing in it is of value."""


class Mark(msgspec.Struct, frozen=True):
    run: str
    job: str
    branch: str
    base: str
    """The commit the job's work is measured against."""
    new_branch: bool = False
    """Whether `run` made the branch: only then may it take it away again."""
    stage: Stage = Stage.MAKING
    purpose: Purpose = Purpose.JOB

    def is_of(self, job: JobKey) -> bool:
        return self.job == str(job)


def read_mark(file: Path) -> Mark | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Mark)
    except (OSError, msgspec.MsgspecError):
        return None


def write_mark(file: Path, mark: Mark) -> None:
    """Written aside and moved into place, so that it is there whole or not at all."""
    aside = file.with_name(f"{file.name}.{os.getpid()}.new")
    aside.write_bytes(msgspec.json.encode(mark))
    aside.replace(file)
