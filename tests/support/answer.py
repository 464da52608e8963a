"""What a command said and how it ended."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Stdout as the one JSON document that it must be."""
        assert self.out, f"nothing on stdout; exit {self.code}, stderr:\n{self.err}"
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def statuses(self) -> dict[str, str]:
        """How each issue ended, of a `--json` document."""
        return {job["issue"]: job["status"] for job in self.document["jobs"]}

    def job(self, issue: str) -> dict[str, Any]:
        found: dict[str, Any] = next(job for job in self.document["jobs"] if job["issue"] == issue)
        return found

    @property
    def lines(self) -> list[str]:
        """Of stderr."""
        return self.err.splitlines()
