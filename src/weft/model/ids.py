"""Names of things: runs, jobs, attempts. All stable across crashes."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import NewType

import msgspec

RunId = NewType("RunId", str)

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+|\.{2,}")
"""Two dots in a row are fine in a path, but not in a ref."""


class JobKey(msgspec.Struct, frozen=True, gc=False, order=True, cache_hash=True):
    """A job is known by its repo and its id: two repos may both have a #1."""

    repo: str
    id: str

    def __str__(self) -> str:
        return f"{self.repo}#{self.id}"

    @property
    def slug(self) -> str:
        """Safe in a file name and in a ref; different keys have different ones."""
        reduced = f"{slug(self.repo)}.{slug(self.id)}"
        plain = slug(self.repo) == self.repo and unique_slug(self.id) == self.id and "." not in self.id
        return reduced if plain else f"{reduced}+{_digest(self.repo, self.id)}"


class AttemptId(msgspec.Struct, frozen=True, gc=False, order=True, cache_hash=True):
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


def unique_slug(text: str) -> str:
    """As `slug`, but different texts have different ones, also where the case of letters does not count."""
    reduced = slug(text)
    return text if reduced == text == text.lower() else f"{reduced}+{_digest(text)}"


def _digest(*parts: str) -> str:
    """Marked with a `+` that no slug has, so that it cannot be mistaken for a part of one."""
    joined = "\0".join(parts)
    return sha256(joined.encode(errors="surrogatepass")).hexdigest()[:8]


def title_slug(text: str, limit: int = 40) -> str:
    """A title for a branch name: lower case, words joined by `-`, cut at a word where that leaves enough."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    joined = "-".join(words)
    if len(joined) <= limit:
        return joined
    cut = joined[: limit + 1].rpartition("-")[0]
    return cut or joined[:limit]
