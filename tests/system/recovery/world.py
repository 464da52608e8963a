"""A repo with five issues, the real command line over it, and ways to kill that."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.git_repo import GitRepo

import weft
from weft.model.events import AnyEvent
from weft.model.ids import RunId
from weft.model.layout import Layout
from weft.stores.sqlite import SqliteJournal

SUPPORT = Path(__file__).parents[2] / "support"
PATIENCE = 90
"""Seconds; only a hang takes that long."""

SETTINGS = """
agent = "worker"
grace = "1s"

[run]
concurrency = 3

[agents.worker]
kind = "command"
argv = ["{agent}", "{{phase}}", "{{job}}", "{{attempt}}"]
env = ["LEDGER"]

[phases.spec.retry]
backoff = "10ms"

[gates]
test = "! ls half-*.txt"
"""

ISSUES = {"1": [], "2": [], "3": ["1", "2"], "4": [], "5": ["4"]}
"""Which depend on which. The agent fails once at 2, is sent back once at 3, and fails for good at 4."""


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        assert self.out, f"nothing on stdout; exit {self.code}, stderr:\n{self.err}"
        found: dict[str, Any] = json.loads(self.out)
        return found


class World:
    """All under one folder: the repo, the state folder, the ledger that the agents write."""

    def __init__(self, folder: Path, *, agent: Path = SUPPORT / "working_agent.sh") -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.home = folder / "home"
        self.state = folder / "state"
        self.ledger = folder / "ledger"
        self.ledger.touch()
        self.repo = GitRepo(folder / "shop", self.home)
        self.environment = {
            **self.repo.environment,
            "WEFT_HOME": str(self.state),
            "LEDGER": str(self.ledger),
            "PYTHONPATH": str(Path(weft.__file__).parents[1]),
        }
        (self.home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
        self.repo.write("weft.toml", SETTINGS.format(agent=agent))
        for ident, needs in ISSUES.items():
            front = f"---\ntitle: Thing {ident}\ndepends_on: [{', '.join(needs)}]\n---\n"
            self.repo.write(f"issues/{ident}.md", f"{front}Write work-{ident}.txt\n")
        self.repo.commit("second")
        self.checkout = self.repo.checkout_state()

    # ------------------------------------------------------------ the command line

    def weft(self, *args: str, **variables: str) -> Answer:
        return self.wait(self.start(*args, **variables))

    def start(self, *args: str, **variables: str) -> subprocess.Popen[str]:
        return self.spawn(sys.executable, "-m", "weft", *args, **variables)

    def dying(self, when: str, event: int, *args: str) -> Answer:
        """The same, killed around that event; if there are not so many, it ends by itself."""
        return self.wait(self.spawn(sys.executable, str(SUPPORT / "dying_weft.py"), when, str(event), *args))

    def spawn(self, *argv: str, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            argv,
            cwd=self.repo.path,
            env=self.environment | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait(self, process: subprocess.Popen[str]) -> Answer:
        with process:
            out, err = process.communicate(timeout=PATIENCE)
        return Answer(process.returncode, out, err)

    def run_dying(self, when: str, event: int, *options: str) -> bool:
        """A run of all issues that is killed there; whether it was."""
        answer = self.dying(when, event, "run", *ISSUES, "--json", *options)
        return answer.code == -signal.SIGKILL

    def with_killing_git(self, how: str, call: int) -> dict[str, str]:
        """Variables that have Weft find a git which kills it at that call of those that write; see `killing_git.sh`."""
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "calls").unlink(missing_ok=True)
        for name, text in (("real", shutil.which("git") or ""), ("call", str(call)), ("how", how)):
            (folder / name).write_text(text)
        shutil.copy(SUPPORT / "killing_git.sh", folder / "git")
        return {"PATH": f"{folder}:{self.environment['PATH']}"}

    # ------------------------------------------------------------ what there is to see

    @property
    def runs(self) -> list[RunId]:
        with self.journal() as journal:
            return [record.run for record in journal.runs()]

    def journal(self) -> SqliteJournal:
        return SqliteJournal(self.state / "weft.db")

    def events(self, run: RunId) -> list[AnyEvent]:
        with self.journal() as journal:
            return [entry.event for entry in journal.read(run)]

    @property
    def layout(self) -> Layout:
        return Layout(str(self.state))

    def noted(self) -> list[list[str]]:
        """The ledger's lines, in words: `start|end`, the attempt, for an end the exit status."""
        return [line.split() for line in self.ledger.read_text().splitlines()]

    def worktrees(self) -> list[Path]:
        return sorted(path for path in self.state.glob("worktrees/*/*") if path.is_dir())

    def git_locks(self) -> list[Path]:
        return sorted((self.repo.path / ".git").rglob("*.lock"))

    def job_locks(self) -> list[Path]:
        return sorted((self.repo.path / ".weft" / "locks").glob("*.lock"))

    def refs(self) -> dict[str, str]:
        lines = self.repo.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split() for line in lines if line)


def kill(pid: int) -> None:
    """It may have ended by itself at the last moment."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def kill_together(weft: int, warden: int) -> None:
    """Neither has the time to do anything about the other's death."""
    os.kill(weft, signal.SIGSTOP)
    kill(warden)
    kill(weft)


def until(holds: Callable[[], object]) -> None:
    """Wait for something that is certain to come."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)
