"""A real repo with issues and an agent that can be held up, for commands that need more than a journal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.git_repo import COMMITTER, IDENTITY, GitRepo
from tests.support.processes_of import processes_of
from tests.support.waiting import until

AGENT = """#!/bin/sh
id="${WEFT_JOB##*#}"
case " $* " in *" exec "*) ;; *) exit 0 ;; esac
if [ -e "$HOLD/$id" ]; then
  echo half > half.txt
  : > "$HOLD/$id.started"
  while [ -e "$HOLD/$id" ]; do sleep 0.02; done
fi
[ -e "$HOLD/$id.fails" ] && { echo dirt > dirt.txt; echo "cannot do $id"; exit 1; }
[ -e "$HOLD/$id.idle" ] && exit 0
echo "done $WEFT_ATTEMPT" > "done-$id.txt"
"""

SETTINGS = """
agent = "mine"

[run]
phases = ["exec"]

[gates]
test = ""
lint = ""
typecheck = ""

[agents.mine]
kind = "command"
argv = ["{agent}", "{{phase}}"]
env = ["HOLD"]
"""


class Shop:
    """The repo `shop`, three issues, and ways to hold the agent up."""

    def __init__(self, root: Path) -> None:
        self.repo = GitRepo(root / "shop", root / "home")
        self.state = root / "state"
        self.hold_folder = root / "hold"
        self.hold_folder.mkdir()
        agent = root / "agent.sh"
        agent.write_text(AGENT)
        agent.chmod(0o755)
        self.repo.write("weft.toml", SETTINGS.format(agent=agent))
        for ident in ("1", "2", "3"):
            self.repo.write(f"issues/{ident}-title.md", f"---\ntitle: Title {ident}\n---\nDo {ident}.\n")
        self.repo.commit("issues")

    @property
    def variables(self) -> dict[str, str]:
        own = {"WEFT_HOME": str(self.state), "HOLD": str(self.hold_folder)}
        return {**self.repo.environment, **IDENTITY, **COMMITTER, **own}

    def tell(self, ident: str, what: str = "") -> None:
        """Have the agent held up at the issue, or `fails`, or `idle`."""
        (self.hold_folder / (f"{ident}.{what}" if what else ident)).touch()

    def release(self, ident: str) -> None:
        (self.hold_folder / ident).unlink()

    def wait_started(self, *idents: str) -> None:
        """Until the agent is held up there; the test's timeout bounds it."""
        while not all((self.hold_folder / f"{ident}.started").exists() for ident in idents):
            time.sleep(0.01)

    def start(self, *args: str) -> subprocess.Popen[bytes]:
        """`weft …` as a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "weft", *args],
            cwd=self.repo.path,
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def kill_in_the_middle(self, *idents: str, held: tuple[str, ...]) -> None:
        """A run that died by kill -9 while the agent was at `held`, when all other issues had ended."""
        for ident in held:
            self.tell(ident)
        process = self.start("run", *idents, "--json-stream")
        self.wait_started(*held)
        assert process.stdout is not None
        others = len(idents) - len(held)
        while others:
            others -= b'"type": "job_ended"' in process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        # An agent that is let go before it is ended would end by itself.
        until(lambda: not processes_of(self.hold_folder))
        for ident in held:
            self.release(ident)
            (self.hold_folder / f"{ident}.started").unlink()
