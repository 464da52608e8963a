"""The repo behind the server: bare, reached as a folder or over smart HTTP."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class BareRepo:
    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True)
        self._git("init", "-q", "--bare", "-b", "main")
        self._git("config", "http.receivepack", "true")

    def tip(self, branch: str) -> str | None:
        return self._git("rev-parse", "-q", "--verify", f"refs/heads/{branch}", check=False) or None

    def branches(self) -> list[str]:
        return self._git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").splitlines()

    def commits(self, branch: str, base: str = "main") -> list[str]:
        """What the branch has beyond `base`, the newest first."""
        return self._git("rev-list", f"refs/heads/{branch}", f"^refs/heads/{base}").splitlines()

    def _git(self, *args: str, check: bool = True) -> str:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.path.parent), "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(["git", *args], cwd=self.path, env=env, capture_output=True, check=False, text=True)
        if check and done.returncode:
            raise AssertionError(f"git {args}: {done.stderr}")
        return done.stdout.strip()
