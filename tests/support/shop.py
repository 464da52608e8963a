"""The repo `shop` with issues and an agent that tests direct, and the real command line upon it.

Everything is under one folder: the user's home, settings, state. Nothing of the tester's own is seen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

from tests.git_repo import GitRepo
from tests.support.answer import Answer
from tests.support.processes_of import processes_of
from tests.support.started import Started
from tests.support.terminal import Terminal

from weft.model.events import AnyEvent
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.layout import Layout
from weft.model.phase import StepKind
from weft.stores.sqlite import SqliteJournal

AGENT = Path(__file__).with_name("agent.sh")

SETTINGS = """\
agent = "mine"
grace = "{grace}"

[run]
{run}

[gates]
test = "{test}"
lint = ""
typecheck = ""

[agents.mine]
kind = "command"
argv = ["/bin/sh", "{agent}", "{stage}", "{{phase}}"]
{more}
"""


class Shop:
    def __init__(self, root: Path, *, name: str = "shop", state: Path | None = None) -> None:
        self.root = root
        self.state = state or root / "state"
        self.stage = root / f"stage-{name}"
        self.stage.mkdir(parents=True)
        self.repo = GitRepo(root / name, root / "home")
        self.layout = Layout(str(self.state))
        self.name = name
        (root / "home" / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
        self.settings()
        self._count = count()
        self._variables: dict[str, str] = {}

    # ------------------------------------------------------------ what there is to do

    def settings(
        self, run: str = 'phases = ["exec"]', *, test: str = "", more: str = "", grace: str = "5s", commit: bool = True
    ) -> None:
        """`weft.toml`; by default exec alone without gates, which is the fastest way through."""
        text = SETTINGS.format(run=run, test=test, more=more, agent=AGENT, stage=self.stage, grace=grace)
        self.repo.write("weft.toml", text)
        if commit:
            self.repo.commit("settings")

    def issue(self, ident: str, title: str | None = None, front: str = "", body: str = "") -> str:
        head = f"---\ntitle: {title or f'Thing {ident}'}\n{front}\n---\n"
        self.repo.write(f"issues/{ident}.md", f"{head}{body or f'Do {ident}.'}\n")
        return ident

    def issues(self, *idents: str) -> tuple[str, ...]:
        """Plain ones, committed."""
        for ident in idents:
            self.issue(ident)
        self.repo.commit("issues")
        return idents

    def does(self, name: str, script: str) -> None:
        """What the agent does in `exec`, `exec-1` or `exec-1-2`: phase, issue, attempt."""
        (self.stage / f"{name}.sh").write_text(script)

    # ------------------------------------------------------------ the command line

    @property
    def environment(self) -> dict[str, str]:
        folders = {"WEFT_HOME": str(self.state), "XDG_CONFIG_HOME": str(self.root / "config")}
        return {
            **self.repo.environment,
            **folders,
            "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            **self._variables,
        }

    def weft(self, *args: str, cwd: Path | None = None, **variables: str) -> Answer:
        return self.start(*args, cwd=cwd, **variables).wait()

    def with_variables(self, **variables: str) -> None:
        """Those of every command from here on."""
        self._variables |= variables

    def run(self, *args: str, cwd: Path | None = None, **variables: str) -> Answer:
        """`weft run … --json`."""
        return self.weft("run", *args, "--json", cwd=cwd, **variables)

    def start(self, *args: str, cwd: Path | None = None, **variables: str) -> Started:
        output = self.root / f"output-{self.name}-{next(self._count)}"
        argv = [sys.executable, "-m", "weft", *args]
        return Started(argv, cwd or self.repo.path, self.environment | variables, output)

    def terminal(self, *args: str, cwd: Path | None = None, **variables: str) -> Terminal:
        """The same on a pseudo-terminal."""
        return Terminal([sys.executable, "-m", "weft", *args], cwd or self.repo.path, self.environment | variables)

    # ------------------------------------------------------------ agents that are held up

    def reached(self, *names: str) -> Callable[[], bool]:
        """Whether the agent is, or was, at `hold NAME` of each."""
        return lambda: all((self.stage / f"reached.{name}").exists() for name in names)

    def all_reached(self) -> set[str]:
        return {path.name.removeprefix("reached.") for path in self.stage.glob("reached.*")}

    def go(self, *names: str) -> None:
        for name in names:
            (self.stage / f"go.{name}").touch()

    def ledger(self) -> list[tuple[str, str, str, str]]:
        """Lines of (`start` or `end`, issue, phase, number), in the order in which they happened."""
        file = self.stage / "ledger"
        lines = file.read_text().splitlines() if file.exists() else []
        return [(words[0], words[1], words[2], words[3]) for words in map(str.split, lines)]

    def most_at_once(self) -> int:
        """How many sessions were under way at the same time, at most."""
        now = most = 0
        for word, *_ in self.ledger():
            now += 1 if word == "start" else -1
            most = max(most, now)
        return most

    def sessions(self, phase: str = "exec") -> list[str]:
        """Issues in the order in which their sessions of the phase began."""
        return [ident for word, ident, at, _ in self.ledger() if word == "start" and at == phase]

    # ------------------------------------------------------------ what is left

    def runs(self) -> list[RunId]:
        if not Path(self.layout.database).exists():
            return []
        with SqliteJournal(Path(self.layout.database)) as journal:
            return [record.run for record in journal.runs()]

    def events(self, run: RunId | None = None) -> list[AnyEvent]:
        """Of the run, or of the latest."""
        with SqliteJournal(Path(self.layout.database)) as journal:
            chosen = run or journal.runs()[-1].run
            return [entry.event for entry in journal.read(chosen)]

    def has_event(self, kind: type[AnyEvent], count: int = 1) -> Callable[[], bool]:
        """Whether the latest run has so many events of the kind."""

        def found() -> bool:
            return bool(self.runs()) and sum(isinstance(event, kind) for event in self.events()) >= count

        return found

    def attempt(self, ident: str, phase: str, number: int = 1, run: RunId | None = None) -> AttemptId:
        return AttemptId(run or self.runs()[-1], JobKey(self.name, ident), phase, number)

    def prompt(self, ident: str, phase: str, number: int = 1) -> str:
        return Path(self.layout.prompt(self.attempt(ident, phase, number))).read_text()

    def transcript(self, ident: str, phase: str, number: int = 1) -> str:
        return Path(self.layout.transcript(self.attempt(ident, phase, number), StepKind.SESSION)).read_text()

    def worktrees(self) -> list[Path]:
        return sorted(path for path in self.state.glob("worktrees/*/*") if path.is_dir())

    def branches(self) -> set[str]:
        return set(self.repo.git("for-each-ref", "--format=%(refname:short)", "refs/heads").splitlines()) - {"main"}

    def debris(self) -> list[str]:
        """Whatever may never be left: processes, locks, git's and Weft's, worktrees that git has no folder for."""
        locks = [str(path) for path in (self.repo.path / ".git").rglob("*.lock")]
        prunable = self.repo.git("worktree", "prune", "--dry-run", "--verbose").splitlines()
        locks += [str(path) for path in (self.repo.path / ".weft" / "locks").glob("*.lock")]
        return [*locks, *prunable, *(f"process {pid}" for pid in self.alive())]

    def alive(self) -> list[int]:
        """Processes that have this shop's folder in their command line, environment or working directory."""
        return processes_of(self.root)
