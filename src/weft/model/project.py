"""Projects that get maintenance: what a run says of each, also of those it leaves out."""

from __future__ import annotations

import msgspec


class LeftOut(msgspec.Struct, frozen=True):
    """A task of a project that is not done this time."""

    task: str
    why: str


class Project(msgspec.Struct, frozen=True):
    """A project as the run found it. Its jobs' keys begin with its name."""

    name: str
    path: str
    skipped: str | None = None
    """Why nothing is done for it."""
    problem: str | None = None
    """What is wrong with it, so that nothing can be done for it."""
    left_out: tuple[LeftOut, ...] = ()
