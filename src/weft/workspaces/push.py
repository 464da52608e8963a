"""Brings one branch to a remote: safe to repeat, and never over work that is nowhere else.

An agent may have written to the repo's configuration, so the address is the one that was read before any agent began,
and what could run a program or weaken the connection is overruled.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from weft.errors import GitError
from weft.workspaces.git import Git, GitFailed

PASSED_ON = frozenset(
    """
    SSH_AUTH_SOCK SSH_AGENT_PID GIT_SSH_COMMAND GIT_SSL_CAINFO GIT_SSL_CAPATH SSL_CERT_FILE SSL_CERT_DIR
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
    """.split()  # noqa: SIM905 a list of quoted names is harder to read
)
"""What a connection needs of the user's environment, besides what git always gets."""

_FIXED = {"GIT_ALLOW_PROTOCOL": "https:http:ssh:file", "GIT_ASKPASS": "", "SSH_ASKPASS": ""}
_OPTIONS = (
    "push.gpgSign=false",
    "push.followTags=false",
    "push.recurseSubmodules=no",
    "http.lowSpeedLimit=100",
    "http.lowSpeedTime=120",
)
_TIMEOUT = 1800.0
_TRIES = 3
_USER_INFO = re.compile(r"(?<=://)[^/@\s]+@")
_SECRET = re.compile(r"Authorization: \w+ (\S+)")


class Push(msgspec.Struct, frozen=True):
    url: str
    """As `push_url` has it."""
    branch: str
    commit: str
    """What the branch is to be on the remote."""
    known: tuple[str, ...] = ()
    """Tips that Weft pushed there itself, and that may be replaced."""


def push_url(url: str) -> str:
    """A remote's address without a name or a secret in it, fit for a command line; `ssh` needs the name."""
    return url if url.startswith("ssh://") else _USER_INFO.sub("", url)


async def ensure_pushed(
    git: Git, repo: Path, push: Push, environment: Mapping[str, str], credentials: Mapping[str, str]
) -> bool:
    """The branch is there when this returns; False where it was already. GitError where it cannot be.

    `environment` is the user's; `credentials` hold the secret, for these processes alone.
    """
    passed_on = {name: value for name, value in environment.items() if name in PASSED_ON}
    git = git.with_environment({**passed_on, **_FIXED, **credentials}).with_options(*_OPTIONS)
    try:
        async with asyncio.timeout(_TIMEOUT):
            return await _pushed(git, repo, push)
    except TimeoutError:
        raise GitError(f"pushing `{push.branch}` took longer than {_TIMEOUT / 60:.0f} minutes") from None
    except GitFailed as failure:
        raise GitError(_without_secrets(failure.message, credentials), hint=_hint(failure.stderr)) from None


async def _pushed(git: Git, repo: Path, push: Push) -> bool:
    git = await _connected(git, repo, push.url)
    for left in reversed(range(_TRIES)):
        there = await remote_tip(git, repo, push.url, push.branch)
        if there == push.commit:
            return False
        await _refuse_loss(git, repo, push, there)
        try:
            await _push(git, repo, push, there)
        except GitFailed as failure:
            if not left or "stale info" not in failure.stderr:
                raise
        else:
            return True
    return True


async def remote_tip(git: Git, repo: Path, url: str, branch: str) -> str | None:
    """The branch's commit on the remote."""
    line = await git.line("ls-remote", "--", url, f"refs/heads/{branch}", cwd=repo)
    return line.split()[0] if line else None


async def _push(git: Git, repo: Path, push: Push, there: str | None) -> None:
    ref = f"refs/heads/{push.branch}"
    lease = f"--force-with-lease={ref}:{there or ''}"
    await git.run("push", "--porcelain", "--no-verify", lease, "--", push.url, f"{push.commit}:{ref}", cwd=repo)


async def _refuse_loss(git: Git, repo: Path, push: Push, there: str | None) -> None:
    """What is there may be replaced if it is part of what comes, or if Weft made it and still has it."""
    if there is None or there in push.known:
        return
    part = await git.run("merge-base", "--is-ancestor", there, push.commit, cwd=repo, accept=(0, 1, 128))
    if part.status == 0:
        return
    args = ("for-each-ref", "--count=1", f"--contains={there}", "refs/weft", f"refs/heads/{push.branch}")
    held = await git.run(*args, cwd=repo, accept=(0, 128, 129))
    if held.status or not held.stdout.strip():
        raise GitError(
            f"`{push.branch}` on the remote has commits that Weft did not make, up to {there[:10]}",
            hint=f"look at them there, delete the branch with `git push {push.url} :{push.branch}`, then retry",
        )


async def _connected(git: Git, repo: Path, url: str) -> Git:
    """How to connect is the user's own word: what the repo's configuration says of it may be an agent's."""
    if url.startswith("https://"):
        verify = await _users(git, repo, "--type=bool", "--get-urlmatch", "http.sslVerify", url)
        return git.with_options(f"http.{url}.sslVerify={verify or 'true'}")
    if "://" not in url or url.startswith("ssh://"):
        command = git.environment.get("GIT_SSH_COMMAND") or await _users(git, repo, "core.sshCommand")
        return git.with_environment({"GIT_SSH_COMMAND": command or "ssh -oBatchMode=yes"})
    return git


async def _users(git: Git, repo: Path, *asked: str) -> str:
    done = await git.run("config", "--global", *asked, cwd=repo, accept=(0, 1))
    return os.fsdecode(done.stdout).strip()


def _without_secrets(text: str, credentials: Mapping[str, str]) -> str:
    for value in credentials.values():
        for secret in _SECRET.findall(value):
            text = text.replace(secret, "***")
    return _USER_INFO.sub("***@", text)


def _hint(stderr: str) -> str | None:
    if any(sign in stderr for sign in ("Authentication failed", "could not read Username", "403", "Permission denied")):
        return "the token, or the key for ssh, needs the right to write the repo's contents"
    if "workflow" in stderr:
        return "a change of files below `.github/workflows` needs a token with the right to write workflows"
    return None
