"""The issues of a milestone: those that are left to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft.errors import UsageError
from weft.model.spelling import closest
from weft.ports import Issue, IssueSource

_MOST_LISTED = 10


def issues_of_milestone(sources: Sequence[IssueSource], name: str) -> list[list[Issue]]:
    """Those of each source that are open, in the source's order; UsageError where no issue names the milestone."""
    found = [source.all() for source in sources]
    meant = [[issue for issue in issues if issue.milestone == name] for issues in found]
    if not any(meant):
        raise UsageError(f"No issue has the milestone `{name}`", hint=_hint(name, found))
    return [[issue for issue in issues if not issue.closed] for issues in meant]


def _hint(name: str, found: Iterable[Iterable[Issue]]) -> str:
    known = list(dict.fromkeys(issue.milestone for issues in found for issue in issues if issue.milestone))
    if not known:
        return "set `milestone: …` in the front matter of issues, or write a plan file"
    near = closest(name, known)
    listed = ", ".join(f"`{each}`" for each in known[:_MOST_LISTED]) + (", …" if len(known) > _MOST_LISTED else "")
    return (f"did you mean `{near}`? " if near else "") + f"there are {listed}"
