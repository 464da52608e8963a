"""The `[workspace]` set-up."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.git_repo import GitRepo
from tests.unit.workspaces.conftest import Setups

from weft.errors import WorkspaceError
from weft.model.plan import WorkspaceSetup
from weft.workspaces import Git, GitWorkspaces


async def test_copies_links_then_sets_up(repo: GitRepo, workspaces: GitWorkspaces, setups: Setups) -> None:
    """RUN-6: files are copied and linked from the main checkout, then the command runs, in the workspace."""
    repo.write(".env", "A=1").chmod(0o600)
    repo.write("certs/deep/x.pem", "x")
    repo.write("node_modules/a.js", "x")
    setup = WorkspaceSetup(setup="npm ci", copy=(".env", "certs"), link=("node_modules",))
    made = await workspaces.prepare(repo.ask(setup=setup))
    assert (made.path / ".env").read_text() == "A=1"
    assert (made.path / ".env").stat().st_mode & 0o777 == 0o600
    assert (made.path / "certs" / "deep" / "x.pem").read_text() == "x"
    assert (made.path / "node_modules").readlink() == repo.path / "node_modules"
    assert setups.calls == [("npm ci", made.path, "shop.1.setup")]


async def test_a_tracked_file_is_not_overwritten(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """A file that the repo tracks stays as the base has it, whatever the user changed in the checkout."""
    repo.write("README.md", "changed by the user")
    made = await workspaces.prepare(repo.ask(setup=WorkspaceSetup(copy=("README.md",))))
    assert (made.path / "README.md").read_text() == "hello\n"


@pytest.mark.parametrize("key", ["copy", "link"])
async def test_a_missing_source_is_named(repo: GitRepo, workspaces: GitWorkspaces, key: str) -> None:
    """Principle 5: the error names the key and the path."""
    setup = WorkspaceSetup(copy=(".env",)) if key == "copy" else WorkspaceSetup(link=(".env",))
    with pytest.raises(WorkspaceError, match=rf"`workspace.{key}` names `.env`"):
        await workspaces.prepare(repo.ask(setup=setup))


@pytest.mark.parametrize("path", ["../home", "/etc/passwd", ".git/config", "a/../../x", "out/x", ""])
async def test_paths_that_leave_the_repo(repo: GitRepo, workspaces: GitWorkspaces, path: str) -> None:
    """SEC-4: nothing is read or written outside, also by way of a symlink in the repo."""
    (repo.path / "out").symlink_to(repo.path.parent)
    repo.commit("a link that leads out")
    repo.write("x", "x", inside=repo.path.parent)
    with pytest.raises(WorkspaceError, match="not inside the repo"):
        await workspaces.prepare(repo.ask(setup=WorkspaceSetup(copy=(path,))))


async def test_a_failing_set_up_tells_its_output(repo: GitRepo, workspaces: GitWorkspaces, setups: Setups) -> None:
    """RUN-6: a set-up command that fails fails the job, with the end of its output."""
    setups.answer = (7, "npm ERR! no such package\n")
    with pytest.raises(WorkspaceError, match=r"`npm ci` .* status 7: npm ERR! no such package"):
        await workspaces.prepare(repo.ask(setup=WorkspaceSetup(setup="npm ci")))


async def test_a_set_up_that_takes_too_long(repo: GitRepo, git: Git, root: Path) -> None:
    """A set-up command has a time limit; it is cancelled."""
    ended = asyncio.Event()

    async def hang(command: str, folder: Path, log_name: str, checkout: Path) -> tuple[int, str]:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return 0, ""

    with pytest.raises(WorkspaceError, match="took longer than"):
        await GitWorkspaces(root, git, hang).prepare(repo.ask(setup=WorkspaceSetup(setup="sleep", timeout=0.01)))
    assert ended.is_set()
