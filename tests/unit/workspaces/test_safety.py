"""Nothing of an untrusted repo runs when Weft calls git (SEC-4)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.git_repo import GitRepo

from weft.errors import WorkspaceError
from weft.workspaces import Git, GitFailed, GitWorkspaces
from weft.workspaces.reasons import explain


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a trace when it is run."""
    file = tmp_path / "trap.sh"
    file.write_text(f'#!/bin/sh\necho "$0 $@" >> {tmp_path}/sprung\ncat\n')
    file.chmod(0o755)
    return file


async def whole_life(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """Every kind of call to git that a job leads to."""
    repo.branch("weft/a", {"a.txt": "a\nb\n"})
    repo.branch("weft/b", {"b.txt": "b"})
    made = await workspaces.prepare(repo.ask(starts_from=("weft/a", "weft/b")))
    repo.write("c.txt", "c", inside=made.path)
    done = await made.commit("c", made.head)
    repo.write("d.txt", "d", inside=made.path)
    await made.changes()
    again = await workspaces.prepare(repo.ask(head=done.head))
    await again.tidy()
    await again.close(remove_if_clean=True)


async def test_hooks_do_not_run(repo: GitRepo, workspaces: GitWorkspaces, trap: Path, tmp_path: Path) -> None:
    """Hooks are off, those of `core.hooksPath` too."""
    hooks = "post-checkout pre-commit commit-msg prepare-commit-msg post-commit reference-transaction post-index-change"
    for name in hooks.split():
        (repo.path / ".git" / "hooks" / name).symlink_to(trap)
    repo.git("config", "core.hooksPath", str(repo.path / ".git" / "hooks"))
    made = await workspaces.prepare(repo.ask())
    repo.write("c.txt", "c", inside=made.path)
    await made.commit("c", made.head)
    repo.write("d.txt", "d", inside=made.path)
    await workspaces.prepare(repo.ask(head=made.head))
    assert not (tmp_path / "sprung").exists()
    repo.git("update-ref", "refs/weft/x", "HEAD")
    assert (tmp_path / "sprung").exists(), "without care they do"


async def test_programs_of_the_repos_configuration_do_not_run(
    repo: GitRepo, workspaces: GitWorkspaces, trap: Path, tmp_path: Path
) -> None:
    """Filters, merge drivers, diff programs, the file watcher, signing: an agent may have written them into
    `.git/config`, and `.gitattributes` is the repo's own.
    """
    repo.write(".gitattributes", "* filter=evil diff=evil merge=evil\n")
    repo.commit("attributes")
    made = await workspaces.prepare(repo.ask("0"))
    for key in ("filter.evil.clean", "filter.evil.smudge", "merge.evil.driver", "diff.evil.textconv"):
        repo.git("config", key, str(trap))
    for key in ("diff.evil.command", "diff.external", "core.fsmonitor", "gpg.program", "core.pager", "core.editor"):
        repo.git("config", key, str(trap))
    repo.git("config", "filter.evil.required", "true")
    repo.git("config", "commit.gpgSign", "true")
    repo.write("c.txt", "c", inside=made.path)
    done = await made.commit("c", made.head)
    repo.write("d.txt", "d", inside=made.path)
    await made.changes()
    again = await workspaces.prepare(repo.ask("0", head=done.head))
    await again.tidy()
    await again.close(remove_if_clean=True)
    assert not (tmp_path / "sprung").exists()


async def test_the_trap_works(repo: GitRepo, trap: Path, tmp_path: Path) -> None:
    """The traps of these tests spring when git is called without care."""
    repo.git("config", "filter.evil.clean", str(trap))
    repo.write(".gitattributes", "* filter=evil\n")
    repo.git("add", "-A")
    assert (tmp_path / "sprung").exists()


async def test_the_users_own_filters_run(repo: GitRepo, workspaces: GitWorkspaces, trap: Path, tmp_path: Path) -> None:
    """What the user's own configuration names, such as git-lfs, is the user's word."""
    repo.git("config", "--global", "filter.mine.clean", str(trap))
    repo.write(".gitattributes", "* filter=mine\n")
    repo.commit("attributes")
    (tmp_path / "sprung").unlink()
    made = await workspaces.prepare(repo.ask())
    repo.write("c.txt", "c", inside=made.path)
    await made.commit("c", made.head)
    assert (tmp_path / "sprung").exists()


async def test_a_whole_life_with_merges(repo: GitRepo, workspaces: GitWorkspaces, root: Path) -> None:
    """Merged starts, commits, saving, tidying and closing leave no debris behind."""
    await whole_life(repo, workspaces)
    assert not (repo.path / ".git" / "worktrees").exists()


async def test_failures_name_the_command_and_what_git_said(repo: GitRepo, git: Git) -> None:
    """A GitFailed has the command, the status and all of stderr; its message has the line that matters."""
    with pytest.raises(GitFailed) as raised:
        await git.run("rev-parse", "--verify", "nowhere", cwd=repo.path)
    assert raised.value.command == ("git", "rev-parse", "--verify", "nowhere")
    assert raised.value.status == 128
    assert "Needed a single revision" in raised.value.stderr
    assert "Needed a single revision" in str(raised.value)


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [
        ("fatal: write error: No space left on device", "the disk is full"),
        ("error: unable to create file x: Read-only file system", "read-only"),
        ("fatal: could not create leading directories: Permission denied", "may not write"),
        ("fatal: detected dubious ownership in repository", "another user owns"),
    ],
)
def test_refusals_are_explained(stderr: str, reason: str) -> None:
    """RECOVER-6: a full disk, a read-only repo: a clear message with a hint."""
    error = explain("making it", Path("/repo"), GitFailed(("add",), 128, stderr))
    assert isinstance(error, WorkspaceError)
    assert reason in error.message
    assert error.hint
