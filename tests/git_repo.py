"""Small git repos for tests, and a look at a checkout that shows whether anyone touched it."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from weft.model.ids import JobKey, RunId
from weft.model.plan import Repo, WorkspaceSetup
from weft.ports import WorkspaceAsk

IDENTITY = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"}
COMMITTER = {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org"}


def git_environment(home: Path) -> dict[str, str]:
    """An environment in which git sees no configuration but the repo's and `home`'s."""
    home.mkdir(parents=True, exist_ok=True)
    return {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}


class GitRepo:
    """A repo at `path` with one commit on `main`, driven by real git."""

    def __init__(self, path: Path, home: Path, *, commit: bool = True) -> None:
        self.path = path
        self.environment = git_environment(home)
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        if commit:
            self.write("README.md", "hello\n")
            self.commit("first")

    @classmethod
    def opened(cls, path: Path, home: Path) -> GitRepo:
        """One that exists already."""
        repo = cls.__new__(cls)
        repo.path = path
        repo.environment = git_environment(home)
        return repo

    def git(self, *args: str, cwd: Path | None = None, check: bool = True) -> str:
        done = subprocess.run(
            ["git", *args],
            cwd=cwd or self.path,
            env={**self.environment, **IDENTITY, **COMMITTER, "GIT_EDITOR": "true"},
            capture_output=True,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"git {args}: {os.fsdecode(done.stderr)}")
        return os.fsdecode(done.stdout).removesuffix("\n")

    def write(self, name: str, text: str | bytes, *, inside: Path | None = None) -> Path:
        file = (inside or self.path) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def commit(self, message: str, *, inside: Path | None = None) -> str:
        self.git("add", "-A", cwd=inside)
        self.git("commit", "-q", "--allow-empty", "-m", message, cwd=inside)
        return self.git("rev-parse", "HEAD", cwd=inside)

    def branch(self, name: str, files: dict[str, str], start: str = "main") -> str:
        """A branch with one commit on top of `start`; the checkout comes back to where it was."""
        before = self.git("rev-parse", "--abbrev-ref", "HEAD")
        self.git("switch", "-q", "-c", name, start)
        for file, text in files.items():
            self.write(file, text)
        tip = self.commit(f"on {name}")
        self.git("switch", "-q", before)
        return tip

    def tip(self, ref: str) -> str:
        return self.git("rev-parse", "--verify", ref)

    def exists(self, ref: str) -> bool:
        return self.git("rev-parse", "--verify", "-q", ref, check=False) != ""

    def saved(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname)", "refs/weft/saved").splitlines()

    def files(self, ref: str) -> set[str]:
        return {name for name in self.git("ls-tree", "-r", "-z", "--name-only", ref).split("\0") if name}

    def show(self, ref: str, file: str) -> str:
        return self.git("show", f"{ref}:{file}")

    def checkout_state(self) -> dict[str, str]:
        """All of the main checkout that is the user's: if two of these are equal, nobody touched it. Weft's own
        folder of locks is not, and git is told to ignore it.
        """
        self.git("update-index", "-q", "--refresh", check=False)
        status = self.git("status", "--porcelain", "--ignored").splitlines()
        return {
            "status": "\n".join(line for line in status if line != "!! .weft/"),
            "head": (self.path / ".git" / "HEAD").read_text() + self.git("rev-parse", "HEAD", check=False),
            "index": self.git("ls-files", "--stage"),
            "stash": self.git("stash", "list"),
            "config": (self.path / ".git" / "config").read_text(),
            "files": self._digest(),
        }

    def _digest(self) -> str:
        total = hashlib.sha256()
        for file in sorted(self.path.rglob("*")):
            if {".git", ".weft"} & set(file.relative_to(self.path).parts):
                continue
            content = (
                os.fsencode(file.readlink()) if file.is_symlink() else file.read_bytes() if file.is_file() else b""
            )
            total.update(os.fsencode(file) + content)
        return total.hexdigest()

    def ask(
        self, ident: str = "1", *, run: str = "r-1", setup: WorkspaceSetup | None = None, **more: object
    ) -> WorkspaceAsk:
        repo = Repo(self.path.name, str(self.path), workspace=setup or WorkspaceSetup())
        fields = {"branch": f"weft/{ident}-x", "base": "main", **more}
        return WorkspaceAsk(run=RunId(run), repo=repo, job=JobKey(self.path.name, ident), **fields)  # type: ignore[arg-type]
