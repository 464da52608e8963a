"""What an agent cannot do is said before anything starts (AGENT-2)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.support.shop import Shop

SETTINGS = """\
agent = "{agent}"
[run]
phases = ["exec"]
[gates]
test = "true"
[phases.exec]
{phase}
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Programs of the agents' names, which must never be started here."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("claude", "codex", "gemini", "opencode"):
        (folder / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nexit 1\n")
        (folder / name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def settings(shop: Shop, agent: str, phase: str) -> None:
    shop.repo.write("weft.toml", SETTINGS.format(agent=agent, phase=phase))
    shop.issues("1")


def test_the_impossible_is_refused(shop: Shop, path: str, tmp_path: Path) -> None:
    """Exit 2, with phase, agent, key and value; nothing was started."""
    settings(shop, "codex", 'approval_mode = "always"')
    answer = shop.weft("run", "1", cwd=shop.repo.path, PATH=path)
    assert answer.code == 2
    assert "phase `exec`: agent `codex`: `approval_mode` is `always`" in answer.err
    assert shop.runs() == []
    assert not (tmp_path / "started").exists()


def test_half_measures_are_told(shop: Shop, path: str, tmp_path: Path) -> None:
    """A warning on stderr, here of a plan that is only shown."""
    settings(shop, "codex", "max_turns = 3")
    answer = shop.weft("run", "1", "--dry-run", "--json", cwd=shop.repo.path, PATH=path)
    assert answer.code == 0
    assert "warning: phase `exec`: agent `codex`: `max_turns` has no effect" in answer.err
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("line", ["max_turns = 0", 'max_turns = "3"', "max_tokens = -1", "system_prompt = 1"])
def test_options_are_checked(shop: Shop, path: str, line: str) -> None:
    """With the key and the value (exit 2)."""
    settings(shop, "claude", line)
    answer = shop.weft("run", "1", cwd=shop.repo.path, PATH=path)
    assert answer.code == 2
    assert f"phases.exec.{line.split(' ', maxsplit=1)[0]}" in answer.err
