"""The gates of the built-in tasks, on real changes: each lets through what the task is for and stops what it is not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.git_repo import GitRepo

from weft.settings.built_in_tasks import built_in_tasks
from weft.settings.kinds import CostTier

FILES = {"code.py": "def one():\n    return 1\n\n\ndef two():\n    return 2\n", "package.json": "{}\n"}
LOCKED = {"package-lock.json": "{}\n", "tests/test_code.py": "def test_one(): ...\n", "CHANGELOG.md": "# 1.0\n"}


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    repo = GitRepo(tmp_path / "shop", tmp_path / "home")
    for name, text in (FILES | LOCKED).items():
        repo.write(name, text)
    repo.commit("files")
    return repo


GOOD = {
    "lint-fix": {"code.py": "def one():\n    return 1\n"},
    "docs-backfill": {"code.py": '"""Numbers."""\n' + FILES["code.py"], "docs/new.md": "new\n"},
    "test-gaps": {"tests/test_more.py": "def test_more():\n    assert one() == 1\n"},
    "dependency-update": {"package.json": '{"a": 1}\n', "package-lock.json": '{"a": 1}\n'},
    "dead-code": {"code.py": "def one():\n    return 1\n"},
    "changelog": {"CHANGELOG.md": "# Unreleased\n- new\n# 1.0\n", "changelog.d/7.md": "new\n"},
}
BAD: dict[str, dict[str, str | None]] = {
    "lint-fix": {"code.py": "def one():\n    return 1  # noqa\n"},
    "docs-backfill": {"code.py": None, "docs/new.md": "new\n"},
    "test-gaps": {"tests/test_more.py": "@pytest.mark.skip\ndef test_more(): ...\n"},
    "dependency-update": {"package.json": '{"a": 1}\n'},
    "dead-code": {"new.py": "x = 1\n"},
    "changelog": {"CHANGELOG.md": "# Unreleased\n# 1.0\n", "code.py": "\n"},
}


def judged(repo: GitRepo, task: str, change: dict[str, str | None], base: str | None = None) -> list[str]:
    """The gates that fail on this change."""
    start = repo.git("rev-parse", "HEAD")
    for name, text in change.items():
        if text is None:
            (repo.path / name).unlink()
        else:
            repo.write(name, text)
    repo.commit("change")
    environment = {**repo.environment, "WEFT_BASE_COMMIT": start if base is None else base}
    return [
        gate.name
        for gate in built_in_tasks()[task].gates
        if subprocess.run(["/bin/sh", "-c", gate.command], cwd=repo.path, env=environment, check=False).returncode
    ]


@pytest.mark.parametrize("task", GOOD)
def test_what_a_task_is_for_passes(repo: GitRepo, task: str) -> None:
    """PROJ-1: each built-in task has a gate, and the change it is for passes it."""
    assert judged(repo, task, dict(GOOD[task])) == []


def test_a_line_that_was_silenced_before_may_be_touched(repo: GitRepo) -> None:
    """PROJ-1: a formatter that moves a line with its `noqa` has silenced nothing."""
    repo.write("code.py", "import os  # noqa\nx = ( 1 )  # type: ignore\n")
    repo.commit("silenced before")
    assert judged(repo, "lint-fix", {"code.py": "import os  # noqa\n\nx = 1  # type: ignore\n"}) == []


def test_a_changelog_by_another_name(repo: GitRepo) -> None:
    """PROJ-1: Sphinx projects call it what's new."""
    assert judged(repo, "changelog", {"docs/whatsnew/2.0.rst": "New\n===\n"}) == []


@pytest.mark.parametrize("task", BAD)
def test_what_a_task_is_not_for_fails(repo: GitRepo, task: str) -> None:
    """PROJ-1: what the task's prompt rules out, its gate finds."""
    assert len(judged(repo, task, dict(BAD[task]))) == 1


@pytest.mark.parametrize("task", GOOD)
def test_a_change_that_cannot_be_read_is_not_right(repo: GitRepo, task: str) -> None:
    """What cannot be read counts as unknown, never as yes: without the base no gate passes."""
    assert len(judged(repo, task, dict(GOOD[task]), base="no-such-commit")) == len(built_in_tasks()[task].gates)


def test_the_catalogue() -> None:
    """PROJ-1: six tasks, each with words for a list, a prompt that also says when there is nothing to do, a time to
    rest and a cost.
    """
    assert set(built_in_tasks()) == GOOD.keys() == BAD.keys()
    for task in built_in_tasks().values():
        assert 10 < len(task.title) < 60
        assert "nothing to do" in " ".join(task.prompt.split())
        assert task.cooldown >= 86400
        assert isinstance(task.cost_tier, CostTier)
