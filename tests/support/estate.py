"""Several projects with an agent that tests direct, and the real command line upon them.

Everything is under one folder: the user's home, settings, state. Nothing of the tester's own is seen.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path
from typing import Any

from tests.git_repo import GitRepo
from tests.support.answer import Answer
from tests.support.processes_of import processes_of
from tests.support.started import Started
from tests.support.terminal import Terminal

AGENT = Path(__file__).with_name("project_agent.sh")

HEAD = """\
agent = "mine"
grace = "{grace}"

[gates]
test = "{test}"
lint = ""
typecheck = ""

[agents.mine]
kind = "command"
argv = ["/bin/sh", "{agent}", "{stage}", "{{phase}}"]

[tasks.tidy]
prompt = "Tidy up"
[tasks.polish]
prompt = "Polish it"
"""


class Estate:
    """`settings` is called anew whenever something is to differ; `weft.toml` lies beside the projects, in none."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.state = root / "state"
        self.stage = root / "stage"
        self.stage.mkdir()
        self.home = root / "home"
        self._count = count()
        self._template = GitRepo(root / "template", self.home)
        (self.home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
        self._tables: list[str] = []

    # ------------------------------------------------------------ what there is

    def project(self, name: str, tasks: Iterable[str] = ("tidy",), more: str = "") -> GitRepo:
        """A repo of that name, listed in the settings."""
        shutil.copytree(self._template.path, self.root / name)
        self.listed(name, tasks, more)
        return GitRepo.opened(self.root / name, self.home)

    def projects(self, *names: str, tasks: Iterable[str] = ("tidy",)) -> None:
        for name in names:
            self.project(name, tasks)

    def listed(self, path: str, tasks: Iterable[str] = ("tidy",), more: str = "") -> None:
        """An entry of the settings, whatever is there."""
        self._tables.append(f"[[projects]]\npath = {json.dumps(path)}\ntasks = {json.dumps(list(tasks))}\n{more}\n")
        self.settings()

    def settings(self, more: str = "", *, test: str = "", grace: str = "5s") -> None:
        head = HEAD.format(grace=grace, test=test, agent=AGENT, stage=self.stage)
        (self.root / "weft.toml").write_text("\n".join([head, more, *self._tables]))

    def does(self, name: str, script: str) -> None:
        """What the agent does in `exec-shop-tidy`, `exec-shop` or `exec`: phase, project, task."""
        (self.stage / f"{name}.sh").write_text(script)

    # ------------------------------------------------------------ the command line

    @property
    def environment(self) -> dict[str, str]:
        return {
            **self._template.environment,
            "WEFT_HOME": str(self.state),
            "XDG_CONFIG_HOME": str(self.root / "config"),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def start(self, *args: str, **variables: str) -> Started:
        output = self.root / f"output-{next(self._count)}"
        return Started([sys.executable, "-m", "weft", *args], self.root, self.environment | variables, output)

    def weft(self, *args: str, **variables: str) -> Answer:
        return self.start(*args, **variables).wait()

    def run(self, *args: str, **variables: str) -> Answer:
        """`weft projects run --yes --json …`."""
        return self.weft("projects", "run", "--yes", "--json", *args, **variables)

    def start_run(self, *args: str, **variables: str) -> Started:
        return self.start("projects", "run", "--yes", "--json", *args, **variables)

    def terminal(self, *args: str, **variables: str) -> Terminal:
        return Terminal([sys.executable, "-m", "weft", *args], self.root, self.environment | variables)

    # ------------------------------------------------------------ agents that are held up

    def reached(self, *names: str) -> Callable[[], bool]:
        return lambda: all((self.stage / f"reached.{name}").exists() for name in names)

    def all_reached(self) -> set[str]:
        return {path.name.removeprefix("reached.") for path in self.stage.glob("reached.*")}

    def go(self, *names: str) -> None:
        for name in names:
            (self.stage / f"go.{name}").touch()

    def ledger(self) -> list[tuple[str, str, str, str]]:
        """Lines of (`start` or `end`, project, task, phase), in the order in which they happened."""
        file = self.stage / "ledger"
        lines = file.read_text().splitlines() if file.exists() else []
        return [(words[0], words[1], words[2], words[3]) for words in map(str.split, lines)]

    def most_at_once(self, project: str | None = None) -> int:
        """How many sessions were under way at the same time, at most; of one project, or of all."""
        now = most = 0
        for word, of, *_ in self.ledger():
            if project in (None, of):
                now += 1 if word == "start" else -1
                most = max(most, now)
        return most

    def sessions(self, phase: str = "exec") -> list[str]:
        """`project#task`, in the order in which they began."""
        return [f"{of}#{task}" for word, of, task, at in self.ledger() if word == "start" and at == phase]

    # ------------------------------------------------------------ what is left

    def reports(self) -> dict[str, str]:
        """What is in each report, by its file's name."""
        return {path.name: path.read_text() for path in sorted((self.state / "reports").glob("*"))}

    def alive(self) -> list[int]:
        return processes_of(self.root)


def statuses(document: dict[str, Any]) -> dict[str, str]:
    """Of the projects, by name."""
    return {project["name"]: project["status"] for project in document["projects"]}
