"""What issues depend on in repos that are no part of a plan: done once it is closed there (WAVE-3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from weft.errors import GithubError
from weft.ports import Issue

if TYPE_CHECKING:  # its client takes long to load
    from weft.assembly.github import Github


async def foreign_states(hub: Github, issues: Iterable[Issue], own: Collection[str]) -> dict[str, bool]:
    """Of each such reference, `owner/name#7`, whether it is closed; what cannot be seen is left out. One request each.

    `own`: names of the plan's repos, with or without their owner.
    """
    from weft.sources.github.reading import Reader
    from weft.sources.github.repo import repo_of
    from weft.sources.github.selection import Selection

    inside = {name.lower() for name in own}
    found: dict[str, bool] = {}
    for need in dict.fromkeys(need for issue in issues for need in issue.depends_on):
        repo, _, number = need.rpartition("#")
        if "/" not in repo or not number.isdecimal() or {repo.lower(), repo.lower().rpartition("/")[2]} & inside:
            continue
        try:
            there = repo_of(repo, hub.address.repo.api_url)
            read = await Reader(hub.client, there).read_plain(Selection(numbers=(int(number),)))
        except GithubError:
            continue
        if number in read:
            found[need] = read[number].closed
    return found
