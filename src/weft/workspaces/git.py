"""The one door to git: a clean environment, nothing of the repo's runs, and failures that say what was asked."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from weft.errors import GitError
from weft.processes import Completed, capture

PASSED_ON = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_EXEC_PATH",
)
"""What git needs of the user's environment. Not GIT_DIR, GIT_INDEX_FILE and the like: a run may start inside a hook."""

FIXED = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_PAGER": "cat",
}

OPTIONS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.quotePath=false",
    "commit.gpgSign=false",
    "log.showSignature=false",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "advice.addEmbeddedRepo=false",
)
"""Hooks, the file watcher, signing and housekeeping are off; so is going into submodules (SEC-4)."""


class Capture(Protocol):
    """How a process is run to its end; `weft.processes.capture` unless a test counts."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        input: bytes = b"",  # noqa: A002
    ) -> Awaitable[Completed]: ...


class GitFailed(GitError):
    """Git refused: the command and all it said."""

    def __init__(self, args: Sequence[str], status: int, stderr: str) -> None:
        self.command = ("git", *args)
        self.status = status
        self.stderr = stderr
        super().__init__(f"`{' '.join(self.command)}` failed with status {status}: {_gist(stderr)}")


class Git:
    """Runs git with an environment made from the one given. Values are immutable; `with_…` answers another."""

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        run: Capture = capture,
        options: Sequence[str] = OPTIONS,
    ) -> None:
        self._environment = {name: environment[name] for name in PASSED_ON if name in environment} | FIXED
        self._run = run
        self._options = tuple(options)

    @property
    def environment(self) -> Mapping[str, str]:
        return self._environment

    def with_options(self, *options: str) -> Git:
        """The same with more `-c` options."""
        return self._altered(self._environment, (*self._options, *options))

    def with_environment(self, more: Mapping[str, str]) -> Git:
        return self._altered({**self._environment, **more}, self._options)

    def _altered(self, environment: Mapping[str, str], options: tuple[str, ...]) -> Git:
        other = Git({}, run=self._run, options=options)
        other._environment = dict(environment)
        return other

    async def run(
        self,
        *args: str,
        cwd: Path,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        accept: Sequence[int] = (0,),
    ) -> Completed:
        """Run one git command; a status that is not in `accept` raises GitFailed."""
        options = [part for option in self._options for part in ("-c", option)]
        env = {**self._environment, **(environment or {})}
        done = await self._run(["git", *options, *args], cwd=cwd, env=env, input=stdin)
        if done.status not in accept:
            raise GitFailed(args, done.status, done.stderr.decode(errors="backslashreplace"))
        return done

    async def line(self, *args: str, cwd: Path, environment: Mapping[str, str] | None = None) -> str:
        """What it printed, without the newline at the end."""
        done = await self.run(*args, cwd=cwd, environment=environment)
        return os.fsdecode(done.stdout).removesuffix("\n")


def readable(name: bytes) -> str:
    """A file's name for people and the journal: one line of Unicode, whatever bytes are in it."""
    text = name.decode(errors="backslashreplace")
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _gist(stderr: str) -> str:
    """The line that says why: the first `fatal:` or `error:`, else the last one."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    for line in lines:
        if line.startswith(("fatal: ", "error: ")):
            return line.partition(": ")[2]
    return lines[-1] if lines else "git said nothing"
