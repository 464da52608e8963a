"""Wrong issues and flags of `weft run`: exit 2, everything named, nothing started (RUN-1, RUN-2, principle 5)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

WRONG = {
    "title": ["3", "[a]", "''"],
    "depends_on": ["5", "[1.5]", "[-1]", "[true]", "['../x']"],
    "labels": ["bug", "[1]"],
    "milestone": ["3", "''"],
    "touches": ["src", "['/etc']"],
    "priority": ["high", "1.5", "true"],
    "state": ["done", "true"],
    "titel": ["A"],
}


def git(folder: Path, *args: str) -> str:
    own = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    return subprocess.run(
        ["git", *identity, *args], cwd=folder, env=own, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def repo(folder: Path) -> Path:
    """A repo with a good issue, and an agent that would leave a trace."""
    git(folder, "init", "-q", "-b", "main")
    (folder / "weft.toml").write_text('agent = "mine"\n[agents.mine]\nkind = "command"\nargv = ["touch", "started"]\n')
    (folder / "issues").mkdir()
    (folder / "issues/101-add-login.md").write_text("# Add login\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "start")
    return folder


def assert_nothing_started(repo: Path, tmp_path: Path) -> None:
    assert git(repo, "branch", "--format=%(refname:short)") == "main"
    assert len(git(repo, "worktree", "list").splitlines()) == 1
    assert not list((tmp_path / "state").glob("runs/*"))


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in WRONG.items() for value in values])
def test_wrong_issue_files(key: str, value: str, weft: Callable[..., Any], repo: Path, tmp_path: Path) -> None:
    """Every wrong value of every key of an issue file, told with file, key and value."""
    (repo / "issues/102.md").write_text(f"---\n{key}: {value}\n---\n")
    answer = weft("run", "101", "102")
    assert (answer.code, answer.out) == (2, "")
    assert f"error: issues/102.md: {key}" in answer.err
    assert "Traceback" not in answer.err
    assert_nothing_started(repo, tmp_path)


def test_unknown_issues(weft: Callable[..., Any], repo: Path, tmp_path: Path) -> None:
    """All unknown ones are named at once, with what there is."""
    answer = weft("run", "101", "999", "login", "other/repo#5")
    assert (answer.code, answer.out) == (2, "")
    for name in ("999", "login", "other/repo#5"):
        assert f"error: unknown issue `{name}`: " in answer.err
    assert "hint: `issues` has 101" in answer.err
    assert_nothing_started(repo, tmp_path)


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "abc", "", "1e3", "true"])
def test_wrong_concurrency(text: str, weft: Callable[..., Any], repo: Path, tmp_path: Path) -> None:
    """The exact words of RUN-2."""
    answer = weft("run", "101", f"--concurrency={text}")
    assert (answer.code, answer.out) == (2, "")
    assert f"error: Invalid --concurrency value: {text}. Must be a positive integer.\n" in answer.err
    assert_nothing_started(repo, tmp_path)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--quality-loop=-1"], "Invalid --quality-loop value: -1. Must be an integer of 0 or more."),
        (["--agent=clod"], "Invalid --agent value: clod. Must be one of "),
        (["--base=a b"], "Invalid --base value: a b. Must be the name of a branch, tag or commit."),
        (["--base=nowhere"], "nowhere"),
        (["--phases=exce"], "Invalid --phases value: `exce`: did you mean `exec`?"),
        (["--phases="], "Invalid --phases value"),
        (["--chain", "--sequential"], "--chain and --sequential exclude each other"),
        (["--chain", "--concurrency=2"], "--chain and --concurrency 2 exclude each other"),
        (["--sequential", "--concurrency=2"], "--sequential and --concurrency 2 exclude each other"),
        (["--quiet", "--json"], "--quiet and --json exclude each other"),
        (["--conurrency=2"], "--conurrency"),
    ],
)
def test_wrong_flags(args: list[str], said: str, weft: Callable[..., Any], repo: Path, tmp_path: Path) -> None:
    """Every wrong value of a flag is exit 2 and names the flag and the value (RUN-5 for what excludes what)."""
    answer = weft("run", "101", *args)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("error: ")
    assert said in answer.err
    assert_nothing_started(repo, tmp_path)


def test_no_issue(weft: Callable[..., Any], repo: Path) -> None:
    """`weft run` without an issue is wrong usage."""
    answer = weft("run")
    assert answer.code == 2
    assert "ISSUE" in answer.err


def test_not_in_a_repo(weft: Callable[..., Any], folder: Path) -> None:
    """Outside a git repo nothing can run."""
    (folder / "weft.toml").write_text('agent = "mine"\n[agents.mine]\nkind = "command"\nargv = ["true"]\n')
    answer = weft("run", "fix the typo")
    assert answer.code == 2
    assert "not in a git repo" in answer.err
