"""Several repos under one folder, a wave's `weft.toml` beside them, and one agent that tests direct for all of them.

Agents know a job as `api-1`: scripts are called `exec-api-1.sh`, the ledger and the gates of `hold` speak of `api-1`.
"""

from __future__ import annotations

from pathlib import Path

from tests.support.answer import Answer
from tests.support.shop import AGENT, Shop
from tests.support.started import Started
from tests.support.terminal import Terminal

SETTINGS = """\
agent = "mine"
grace = "5s"
{top}

[run]
phases = ["exec"]

[agents.mine]
kind = "command"
argv = ["/bin/sh", "-c", 'WEFT_JOB="x#$(echo "$WEFT_JOB" | tr "#" -)" exec /bin/sh {agent} {stage} "$0"', "{{phase}}"]

{repos}
"""


class Fleet:
    def __init__(self, root: Path, *names: str) -> None:
        self.root = root
        self.shops = {name: Shop(root, name=name) for name in names}
        self.first = self.shops[names[0]]
        for shop in self.shops.values():
            shop.stage = self.first.stage
        self.folder = root / "fleet"
        self.folder.mkdir()
        self.settings()

    def settings(self, top: str = "", **more: str) -> None:
        """`weft.toml` of the wave; `more`: further keys of a repo, by its name."""
        repos = "\n".join(f'[[repos]]\npath = "../{name}"\n{more.get(name, "")}\n' for name in self.shops)
        text = SETTINGS.format(top=top, agent=AGENT, stage=self.first.stage, repos=repos)
        (self.folder / "weft.toml").write_text(text)

    def issues(self, *keys: str, milestone: str = "M1", **fronts: str) -> None:
        """`api#1` and so on, committed; `fronts`: further front matter, by `api_1`."""
        for key in keys:
            repo, _, ident = key.partition("#")
            front = f"milestone: {milestone}\n{fronts.get(f'{repo}_{ident}', '')}"
            self.shops[repo].issue(ident, title=f"Thing {ident}", front=front)
        for shop in self.shops.values():
            shop.repo.commit("issues")

    def wave(self, *args: str, **variables: str) -> Answer:
        return self.first.weft("wave", *args, cwd=self.folder, **variables)

    def run(self, *args: str, **variables: str) -> Answer:
        """`weft wave run … --yes --json`."""
        return self.wave("run", *args, "--yes", "--json", **variables)

    def start(self, *args: str) -> Started:
        return self.first.start("wave", "run", *args, "--yes", "--json", cwd=self.folder)

    def terminal(self, *args: str) -> Terminal:
        return self.first.terminal("wave", *args, cwd=self.folder)

    def most_at_once(self, repo: str | None = None) -> int:
        """How many sessions were under way at the same time, at most; of all repos, or of one."""
        now = most = 0
        for word, ident, *_ in self.first.ledger():
            if repo is None or ident.startswith(f"{repo}-"):
                now += 1 if word == "start" else -1
                most = max(most, now)
        return most


def statuses(answer: Answer) -> dict[str, str]:
    """How each job ended, by key: two repos may have the same issue."""
    return {job["key"]: job["status"] for job in answer.document["jobs"]}


def reasons(answer: Answer) -> dict[str, str | None]:
    return {job["key"]: job["reason"] for job in answer.document["jobs"]}
