"""Issues of one GitHub repo, read up front: from then on an `IssueSource` like any other, without waiting."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from weft.ports import Issue


class GithubIssues(msgspec.Struct, frozen=True):
    """An `IssueSource` of all that was read: what was asked for, and what that depends on in this repo."""

    repo: str
    """`owner/name`."""
    known: Mapping[str, Issue]
    chosen: tuple[Issue, ...] = ()
    """What was asked for and is there: by number in that order, then what was found, the lowest numbers first."""
    missing: tuple[str, ...] = ()
    """Numbers that were asked for and are no issues of the repo."""

    def find(self, ident: str) -> Issue | None:
        return self.known.get(ident)

    def all(self) -> list[Issue]:
        return sorted(self.known.values(), key=lambda issue: int(issue.id))
