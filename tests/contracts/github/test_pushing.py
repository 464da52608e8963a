"""Branches reach the remote over HTTP with the token, safely and as often as one likes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.git_repo import GitRepo
from tests.support.github_server import Answer, GithubServer, Repo

from weft.errors import GitError
from weft.processes import Completed, capture
from weft.sources.github.credentials import git_credentials
from weft.sources.github.token import Token
from weft.workspaces.git import Git
from weft.workspaces.push import Push, ensure_pushed

BRANCH = "weft/1-login"


class Pushing:
    """Pushes, and keeps every command line that was run."""

    def __init__(self, repo: GitRepo, url: str, token: str) -> None:
        self.repo = repo
        self.url = url
        self.lines: list[list[str]] = []
        self._git = Git(repo.environment, run=self._noted)
        self._credentials = git_credentials(Token(token, "a test"), url)

    async def _noted(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        input: bytes = b"",  # noqa: A002
    ) -> Completed:
        self.lines.append(list(argv))
        return await capture(argv, cwd=cwd, env=env, input=input)

    async def ensure(self, commit: str, known: tuple[str, ...] = ()) -> bool:
        push = Push(self.url, BRANCH, commit, known)
        return await ensure_pushed(self._git, self.repo.path, push, {}, self._credentials)


@pytest.fixture
def pushing(github: GithubServer, shop: Repo, local: GitRepo) -> Pushing:
    local.git("push", "-q", str(shop.folder), "main")
    return Pushing(local, shop.clone_url, github.token)


async def test_pushed_once(pushing: Pushing, local: GitRepo, shop: Repo) -> None:
    """Made, then moved on, and nothing is sent when it is there."""
    tip = local.branch(BRANCH, {"a.txt": "a"})
    assert await pushing.ensure(tip)
    assert not await pushing.ensure(tip)
    assert shop.git.tip(BRANCH) == tip
    local.git("branch", "-f", BRANCH, local.branch("more", {"b.txt": "b"}, start=BRANCH))
    assert await pushing.ensure(local.tip(BRANCH))
    assert shop.git.tip(BRANCH) == local.tip(BRANCH)
    assert shop.git.tip("main") == local.tip("main")


async def test_work_that_was_done_anew(pushing: Pushing, local: GitRepo, shop: Repo) -> None:
    """What Weft itself had pushed, and has saved or still knows, is replaced."""
    first = local.branch(BRANCH, {"a.txt": "a"})
    await pushing.ensure(first)
    local.git("branch", "-D", BRANCH)
    anew = local.branch(BRANCH, {"b.txt": "b"})
    with pytest.raises(GitError, match="has commits that Weft did not make"):
        await pushing.ensure(anew)
    local.git("update-ref", "refs/weft/saved/1", first)
    assert await pushing.ensure(anew)
    third = local.branch("third", {"c.txt": "c"})
    assert await pushing.ensure(third, known=(anew,))
    assert shop.git.tip(BRANCH) == third


async def test_work_of_others_is_not_lost(pushing: Pushing, local: GitRepo, shop: Repo, tmp_path: Path) -> None:
    """Principle 2: somebody pushed to the branch; it is left as it is, and the message names the commit."""
    tip = local.branch(BRANCH, {"a.txt": "a"})
    await pushing.ensure(tip)
    local.git("clone", "-q", str(shop.folder), str(tmp_path / "theirs"))
    theirs = GitRepo.opened(tmp_path / "theirs", tmp_path / "home")
    theirs.git("switch", "-q", BRANCH)
    theirs.write("c.txt", "c")
    other = theirs.commit("theirs")
    theirs.git("push", "-q", "origin", BRANCH)
    local.git("branch", "-f", BRANCH, local.branch("more", {"b.txt": "b"}, start=BRANCH))
    with pytest.raises(GitError, match=other[:10]) as caught:
        await pushing.ensure(local.tip(BRANCH))
    assert caught.value.hint
    assert shop.git.tip(BRANCH) == other


async def test_the_token_is_nowhere(pushing: Pushing, local: GitRepo, github: GithubServer) -> None:
    """SEC-3: not in a command line, not in the repo's configuration, not in an error."""
    tip = local.branch(BRANCH, {"a.txt": "a"})
    await pushing.ensure(tip)
    github.token = "another"
    with pytest.raises(GitError, match="failed with status 128") as caught:
        await pushing.ensure(local.tip("main"))
    secrets = [value.split()[-1] for value in pushing._credentials.values() if "Basic" in value]
    shown = [str(pushing.lines), (local.path / ".git" / "config").read_text(), caught.value.message]
    assert not [secret for secret in secrets for text in shown if secret in text]
    assert caught.value.hint == "the token, or the key for ssh, needs the right to write the repo's contents"


async def test_a_header_of_the_repos_own(pushing: Pushing, local: GitRepo, shop: Repo) -> None:
    """CI systems leave a header in the repo's configuration; GitHub would refuse two."""
    local.git("config", "http.extraHeader", "Authorization: Basic bm9uZQ==")
    local.git("config", f"http.{shop.server_url}/.extraHeader", "Authorization: Basic bm9uZQ==")
    assert await pushing.ensure(local.branch(BRANCH, {"a.txt": "a"}))


async def test_what_an_agent_wrote_runs_nothing(pushing: Pushing, local: GitRepo, shop: Repo, tmp_path: Path) -> None:
    """SEC-4: hooks, helpers, signing and remotes of the repo's configuration have no say."""
    trap = local.write("trap.sh", f"#!/bin/sh\ntouch {tmp_path}/sprung\n", inside=tmp_path)
    trap.chmod(0o755)
    tip, main = local.branch(BRANCH, {"a.txt": "a"}), local.tip("main")
    local.write(".git/hooks/pre-push", trap.read_text()).chmod(0o755)
    local.git("remote", "add", "origin", "https://elsewhere.example/x.git")
    for name in ("credential.helper", "core.askPass", "core.sshCommand", "gpg.program", "core.fsmonitor"):
        local.git("config", name, str(trap))
    local.git("config", "push.gpgSign", "true")
    local.git("config", "protocol.ext.allow", "always")
    assert await pushing.ensure(tip)
    local.git("config", f"url.ext::{trap} .insteadOf", shop.server_url)
    with pytest.raises(GitError, match="'ext' not allowed"):
        await pushing.ensure(main)
    assert not (tmp_path / "sprung").exists()


async def test_a_server_that_fails(pushing: Pushing, local: GitRepo, github: GithubServer, shop: Repo) -> None:
    """A push that fails is an error, and the next try succeeds."""
    tip = local.branch(BRANCH, {"a.txt": "a"})
    github.fail(Answer(500), "POST", "git-receive-pack")
    with pytest.raises(GitError, match="push"):
        await pushing.ensure(tip)
    assert await pushing.ensure(tip)
    assert shop.git.tip(BRANCH) == tip


async def test_a_folder_as_remote(local: GitRepo, shop: Repo) -> None:
    """A remote need not be a server."""
    pushing = Pushing(local, shop.folder.as_uri(), "unused")
    assert await pushing.ensure(local.branch(BRANCH, {"a.txt": "a"}))
    assert shop.git.branches() == [BRANCH]
