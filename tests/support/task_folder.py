"""A folder with settings and task files, and the real command line in it.

The agent `sh` takes its prompt for a script, so that a task's prompt says what the task does. Everything is under one
folder: home, settings, state. Nothing of the tester's own is seen.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from tests.support.answer import Answer
from tests.support.processes_of import processes_of
from tests.support.started import Started

from weft.model.events import AnyEvent
from weft.model.ids import RunId
from weft.stores.sqlite import SqliteJournal

SETTINGS = """\
grace = "5s"

[agents.sh]
kind = "command"
argv = ["/bin/sh"]

[agents.cat]
kind = "command"
argv = ["/bin/cat"]

[agents.upper]
kind = "command"
argv = ["/bin/sh", "-c", "tr a-z A-Z"]
"""


class TaskFolder:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.place = root / "place"
        self.state = root / "state"
        for folder in (self.place, root / "home"):
            folder.mkdir()
        self.settings()
        self._count = count()

    def settings(self, more: str = "", top: str = "") -> None:
        (self.place / "weft.toml").write_text(f"{top}\n{SETTINGS}\n{more}")

    def script(self, text: str, name: str = "scripted") -> None:
        """The embedded agent plays this, under the name of any agent."""
        (self.place / f"{name}.toml").write_text(text)

    def file(self, content: object, name: str = "tasks.json") -> str:
        """A task file; a text goes in as it is."""
        text = content if isinstance(content, str) else json.dumps(content)
        (self.place / name).write_text(text, encoding="utf-8")
        return name

    def tasks(self, *prompts: str | dict[str, Any], **whole: Any) -> str:
        """A task file with scripts for `sh`, or tasks written out."""
        listed = [
            {"backend": "sh", "prompt": one} if isinstance(one, str) else {"backend": "sh", **one} for one in prompts
        ]
        return self.file({"tasks": listed, **whole})

    # ------------------------------------------------------------ the command line

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root / "home"),
            "WEFT_HOME": str(self.state),
            "XDG_CONFIG_HOME": str(self.root / "config"),
            "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@localhost",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@localhost",
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def weft(
        self,
        *args: str,
        stdin: str | bytes | None = None,
        cwd: Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> Answer:
        return self.start(*args, stdin=stdin, cwd=cwd, variables=variables).wait()

    def start(
        self,
        *args: str,
        stdin: str | bytes | None = None,
        cwd: Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> Started:
        output = self.root / f"output-{next(self._count)}"
        given = None
        if stdin is not None:
            given = output.with_suffix(".in")
            given.write_bytes(stdin.encode() if isinstance(stdin, str) else stdin)
        argv = [sys.executable, "-m", "weft", *args]
        return Started(argv, cwd or self.place, self.environment | dict(variables or {}), output, given)

    def parallel(self, *args: str) -> Answer:
        """`weft parallel --file tasks.json … --json`."""
        return self.weft("parallel", "--file", "tasks.json", "--json", *args)

    # ------------------------------------------------------------ tasks that are held up

    def hold(self, name: str) -> str:
        """For a script: say that it is here, and wait for `go`."""
        stage = self.root
        return f"touch '{stage}/at.{name}'; until [ -e '{stage}/go.{name}' ]; do sleep 0.01; done\n"

    def at(self, *names: str) -> Callable[[], bool]:
        return lambda: all((self.root / f"at.{name}").exists() for name in names)

    def all_at(self) -> set[str]:
        return {path.name.removeprefix("at.") for path in self.root.glob("at.*")}

    def go(self, *names: str) -> None:
        for name in names:
            (self.root / f"go.{name}").touch()

    # ------------------------------------------------------------ what is left

    def runs(self) -> list[RunId]:
        with SqliteJournal(self.state / "weft.db") as journal:
            return [record.run for record in journal.runs()]

    def events(self, run: RunId | None = None) -> list[AnyEvent]:
        with SqliteJournal(self.state / "weft.db") as journal:
            return [entry.event for entry in journal.read(run or journal.runs()[-1].run)]

    def alive(self) -> list[int]:
        """Processes that have this folder in their command line, environment or working directory."""
        return processes_of(self.root)


def outputs(answer: Answer) -> list[str]:
    return [result["output"] for result in answer.document["results"]]


def statuses(answer: Answer) -> list[str]:
    return [result["status"] for result in answer.document["results"]]


def check_counts(document: dict[str, Any]) -> None:
    """TASK-5: the three numbers make the total, always; exit codes are 0 exactly for success (TASK-7b)."""
    assert document["completed"] + document["failed"] + document["cancelled"] == document["total_tasks"], document
    for result in document["results"]:
        assert (result["exit_code"] == 0) == (result["status"] == "completed"), result
