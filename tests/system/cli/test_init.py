"""`weft init` in real repos."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def git(folder: Path, *args: str) -> str:
    own = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(
        ["git", *args], cwd=folder, env=own, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def repo(folder: Path) -> Path:
    git(folder, "init", "-q", "-b", "main")
    return folder


@pytest.fixture
def agents(tmp_path: Path) -> str:
    """A PATH with two agents in it."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("codex", "claude"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    return f"{programs}:/usr/bin:/bin"


def test_writes_what_was_found(weft: Callable[..., Any], repo: Path, agents: str) -> None:
    """The file names the agent and gates that were found, and loads."""
    (repo / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (repo / "issues").mkdir()
    (repo / "issues/101-x.md").write_text("x")
    git(repo, "remote", "add", "origin", "https://example.com/shop.git")
    answer = weft("init", PATH=agents)
    assert answer.code == 0, answer.err
    assert answer.out.splitlines() == [
        f"Wrote {repo}/weft.toml",
        "  agents  claude, codex",
        "  gates   test: python -m pytest -q (pyproject.toml)",
        "  remote  origin",
        "  issues  1 in issues/",
        "Next: weft run 101",
    ]
    settings = json.loads(weft("config", "show", "--json").out)["settings"]
    assert settings["agent"] == {"value": "claude", "source": "weft.toml"}
    assert settings["gates.test"] == {"value": "python -m pytest -q", "source": "weft.toml"}
    assert settings["gates.lint"] == {"value": None, "source": "default"}


def test_nothing_found(weft: Callable[..., Any], repo: Path) -> None:
    """An empty repo gets a file that loads too, and is told what is missing."""
    answer = weft("init", "--json")
    assert json.loads(answer.out) == {
        "file": str(repo / "weft.toml"),
        "agents": {},
        "gates": {},
        "remote": None,
        "issues": {"path": "issues", "count": 0},
        "github": None,
    }
    assert weft("config", "show").code == 0


def test_the_agent_in_the_comments_works(weft: Callable[..., Any], repo: Path) -> None:
    """Where no agent was found, the file shows one of the user's own: uncommented, it runs."""
    assert weft("init").code == 0
    lines = (repo / "weft.toml").read_text().splitlines()
    own = ("# agent =", "# [agents.mine]", "# kind =", "# argv =")
    (repo / "weft.toml").write_text("\n".join(line[2:] if line.startswith(own) else line for line in lines))
    (repo / "agent.sh").write_text('#!/bin/sh\n[ "$1" != exec ] || cat > made.txt\n')
    (repo / "agent.sh").chmod(0o755)
    git(repo, "add", ".")
    git(repo, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "start")
    identity = {f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    answer = weft("run", "add a file", "--quiet", **identity)
    assert answer.code == 0, answer.out + answer.err
    assert "1 passed" in answer.out


def test_does_not_overwrite(weft: Callable[..., Any], repo: Path) -> None:
    """A file that is there stays, unless `--force` is given."""
    (repo / "weft.toml").write_text("# mine\n")
    answer = weft("init")
    assert answer.code == 2
    assert "weft.toml` exists" in answer.err
    assert "--force" in answer.err
    assert (repo / "weft.toml").read_text() == "# mine\n"
    assert weft("init", "--force").code == 0
    assert "[gates]" in (repo / "weft.toml").read_text()


def test_own_folder_counts(weft: Callable[..., Any], repo: Path) -> None:
    """`.weft/weft.toml` is there too, and `--force` replaces it where it is."""
    (repo / ".weft").mkdir()
    (repo / ".weft/weft.toml").write_text("# mine\n")
    assert weft("init").code == 2
    assert weft("init", "--force").code == 0
    assert not (repo / "weft.toml").exists()


def test_excludes_what_weft_writes(weft: Callable[..., Any], repo: Path) -> None:
    """`.weft/` goes to `.git/info/exclude`, once, and `.gitignore` is left alone."""
    weft("init")
    weft("init", "--force")
    assert (repo / ".git/info/exclude").read_text().splitlines().count("/.weft/") == 1
    assert not (repo / ".gitignore").exists()
    (repo / ".weft").mkdir()
    (repo / ".weft/x").write_text("")
    assert git(repo, "status", "--porcelain") == "?? weft.toml"


def test_from_a_folder_below(weft: Callable[..., Any], repo: Path, tmp_path: Path) -> None:
    """The file is the repo's, wherever in it the command is given."""
    from weft.cli.main import run
    from weft.settings.environment import Environment

    (repo / "a/b").mkdir(parents=True)
    variables = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    assert run(["init"], Environment(variables, repo / "a/b")) == 0
    assert (repo / "weft.toml").exists()


def test_not_a_repo(weft: Callable[..., Any], folder: Path) -> None:
    """Outside a git repo it is exit 2, and nothing is written."""
    answer = weft("init")
    assert answer.code == 2
    assert "not in a git repo" in answer.err
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_written(weft: Callable[..., Any], repo: Path) -> None:
    """A target that cannot be written is told, and leaves nothing behind."""
    (repo / ".weft.toml.new").mkdir()
    answer = weft("init")
    assert answer.code == 2
    assert "cannot be written" in answer.err
    assert not (repo / "weft.toml").exists()
