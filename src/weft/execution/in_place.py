"""A job that works in a folder as it is: no branch, nothing committed, nothing to put away."""

from __future__ import annotations

from pathlib import Path

from weft.model.plan import Repo
from weft.ports import Closed, Committed


class InPlace:
    """The `Workspace` of a job without a branch."""

    def __init__(self, repo: Repo) -> None:
        self.path = Path(repo.path)
        self.branch = ""
        self.base = ""
        self.head = ""
        self.saved: tuple[str, ...] = ()

    async def commit(self, message: str, since: str) -> Committed:
        return Committed(head="", changed=False, empty=False)

    async def restore(self, head: str) -> tuple[str, ...]:
        return ()

    async def tidy(self) -> None:
        """Whatever gates left belongs to the folder's owner."""

    async def tip(self) -> str:
        return ""

    async def changes(self) -> str:
        return ""

    async def close(self, *, remove_if_clean: bool) -> Closed:
        return Closed(kept=None, saved=(), head=None)
