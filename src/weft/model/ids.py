"""Names of things: runs, jobs, attempts. All stable across crashes."""

from __future__ import annotations

import re
from typing import NewType

import msgspec

RunId = NewType("RunId", str)

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class JobKey(msgspec.Struct, frozen=True, order=True, cache_hash=True):
    """A job is known by its repo and its id: two repos may both have a #1."""

    repo: str
    id: str

    def __str__(self) -> str:
        return f"{self.repo}#{self.id}"

    @property
    def slug(self) -> str:
        """Safe in a file name."""
        return f"{slug(self.repo)}.{slug(self.id)}"


class AttemptId(msgspec.Struct, frozen=True, order=True, cache_hash=True):
    """One try at one phase of one job. Names the processes, the transcript and the workspace's state."""

    run: RunId
    job: JobKey
    phase: str
    number: int

    def __str__(self) -> str:
        return f"{self.run}/{self.job}/{self.phase}/{self.number}"


def parse_key(text: str) -> JobKey:
    """`shop#101` → its key; the last `#` divides, since a folder's name may hold one."""
    repo, mark, ident = text.rpartition("#")
    if not mark or not repo or not ident:
        raise ValueError(f"{text!r} is not a job key such as `shop#101`")
    return JobKey(repo, ident)


def slug(text: str, limit: int = 60) -> str:
    """`text` reduced to what is safe in a path; never empty, never only dots."""
    reduced = _UNSAFE.sub("-", text).strip("-.")[:limit].rstrip("-.")
    return reduced or "x"


def title_slug(text: str, limit: int = 40) -> str:
    """A title for a branch name: lower case, words joined by `-`, cut at a word where that leaves enough."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    joined = "-".join(words)
    if len(joined) <= limit:
        return joined
    cut = joined[: limit + 1].rpartition("-")[0]
    return cut or joined[:limit]
