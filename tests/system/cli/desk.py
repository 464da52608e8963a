"""The command line in the shop's repo, with real git and a real agent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.system.cli.answer import Answer
from tests.system.cli.shop import Shop

from weft.cli.main import run
from weft.settings.environment import Environment


class Desk:
    """`desk.weft("diff", "1")`."""

    def __init__(self, shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
        self.shop = shop
        self._capsys = capsys

    def weft(self, *args: str, folder: Path | None = None) -> Answer:
        code = run(args, Environment(self.shop.variables, folder or self.shop.repo.path))
        return Answer(code, *self._capsys.readouterr())

    def statuses(self, *args: str) -> dict[str, str]:
        document = json.loads(self.weft("report", *args, "--json").out)
        return {job["issue"]: job["status"] for job in document["jobs"]}

    def runs(self) -> list[str]:
        """Newest first."""
        return [each["run"] for each in json.loads(self.weft("status", "--json").out)["runs"]]
