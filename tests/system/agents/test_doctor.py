"""`weft doctor`: what a run needs, and how to mend what is missing (AGENT-9)."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests.support.answer import Answer
from tests.support.shop import Shop

HELP = {
    "claude": "--output-format --verbose --permission-mode --allowedTools --tools --model --resume "
    "--append-system-prompt --json-schema --settings",
    "codex": "--json --skip-git-repo-check --sandbox --model --output-schema --config --disable",
    "gemini": "--output-format --model --approval-mode --policy --resume",
    "opencode": "--format --model --session",
}
PROGRAM = """#!/bin/sh
case "$*" in
*--help*) echo "{help}" ;;
--version) echo "{name} 1.2.3" ;;
*status) exit {status} ;;
*) echo "spent tokens: $*" >> "{spent}" ;;
esac
"""


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    """Nothing on the path but git and what a test puts there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("git", "sh", "env"):
        found = next(Path(part) / name for part in os.environ["PATH"].split(":") if (Path(part) / name).exists())
        (folder / name).symlink_to(found)
    return folder


def install(folder: Path, name: str, *, help_text: str | None = None, logged_in: bool = True) -> Path:
    program = folder / name
    text = HELP[name] if help_text is None else help_text
    spent = folder / "spent"
    program.write_text(PROGRAM.format(help=text, name=name, status=0 if logged_in else 1, spent=spent))
    program.chmod(0o755)
    return program


def doctor(shop: Shop, folder: Path, **variables: str) -> Answer:
    return shop.weft("doctor", "--json", cwd=shop.repo.path, PATH=str(folder), **variables)


def check(answer: Answer, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in answer.document["checks"] if one["name"] == name)
    return found


def use(shop: Shop, agent: str) -> None:
    shop.repo.write("weft.toml", f'agent = "{agent}"\n[gates]\ntest = "true"\n')
    shop.repo.commit("settings")


def test_all_is_well(shop: Shop, bin_folder: Path) -> None:
    """Every part has its line, exit 0, and no agent was asked anything that costs (AGENT-9)."""
    use(shop, "claude")
    for name in HELP:
        install(bin_folder, name)
    answer = doctor(shop, bin_folder, GEMINI_API_KEY="k", OPENAI_API_KEY="k")
    assert (answer.code, answer.document["ok"]) == (0, True)
    names = [one["name"] for one in answer.document["checks"]]
    assert names[:5] == ["git", "settings", "state folder", "database", "disk"]
    for name in HELP:
        found = check(answer, f"agent {name}")
        assert found["status"] == "ok"
        assert "version 1.2.3, logged in" in found["detail"]
    assert not (bin_folder / "spent").exists()


def test_an_agent_that_is_named_must_be_there(shop: Shop, bin_folder: Path) -> None:
    """With the way to get it, and exit 1; the others may be missing (AGENT-9)."""
    use(shop, "codex")
    answer = doctor(shop, bin_folder)
    assert (answer.code, answer.document["ok"]) == (1, False)
    missing = check(answer, "agent codex")
    assert (missing["status"], missing["detail"]) == ("problem", "`codex` is not installed")
    assert "npm install" in missing["hint"]
    assert check(answer, "agent claude")["status"] == "note"


def test_a_program_without_a_flag_that_weft_uses(shop: Shop, bin_folder: Path) -> None:
    """An old one, or one that changed: which flag, and what to do (AGENT-9)."""
    use(shop, "gemini")
    install(bin_folder, "gemini", help_text="--output-format --models --approval-mode --policy --resume")
    answer = doctor(shop, bin_folder)
    assert answer.code == 1
    assert "it does not know `--model`" in check(answer, "agent gemini")["detail"]


@pytest.mark.parametrize(("agent", "key"), [("claude", "ANTHROPIC_API_KEY"), ("gemini", "GEMINI_API_KEY")])
def test_not_logged_in_is_a_warning(shop: Shop, bin_folder: Path, agent: str, key: str) -> None:
    """Runs start, so it is no problem of doctor's; a key counts as a login (AGENT-9)."""
    use(shop, agent)
    install(bin_folder, agent, logged_in=False)
    answer = doctor(shop, bin_folder)
    found = check(answer, f"agent {agent}")
    assert (answer.code, found["status"]) == (0, "warning")
    assert "not logged in" in found["detail"]
    assert key in found["hint"]
    assert check(doctor(shop, bin_folder, **{key: "k"}), f"agent {agent}")["status"] == "ok"


def test_a_program_that_does_not_run(shop: Shop, bin_folder: Path) -> None:
    """It is named, with the reason."""
    use(shop, "claude")
    (bin_folder / "claude").write_bytes(b"\x7fELF nonsense")
    (bin_folder / "claude").chmod(0o755)
    answer = doctor(shop, bin_folder)
    assert answer.code == 1
    assert "does not run" in check(answer, "agent claude")["detail"]


def test_settings_that_are_wrong(shop: Shop, bin_folder: Path) -> None:
    """Their own message, and the other checks all the same."""
    shop.repo.write("weft.toml", "nonsense = 1\n")
    answer = doctor(shop, bin_folder)
    assert answer.code == 1
    assert "nonsense" in check(answer, "settings")["detail"]
    assert check(answer, "git")["status"] == "ok"


def test_a_database_that_is_none(shop: Shop, bin_folder: Path) -> None:
    """It is looked at, not made anew."""
    use(shop, "claude")
    install(bin_folder, "claude")
    database = Path(shop.layout.database)
    database.parent.mkdir(parents=True)
    database.write_text("this is no database, but it is long enough to be taken for one" * 20)
    answer = doctor(shop, bin_folder)
    assert answer.code == 1
    assert check(answer, "database")["status"] == "problem"
    with pytest.raises(sqlite3.DatabaseError), sqlite3.connect(database) as connection:
        connection.execute("SELECT * FROM sqlite_master")
    connection.close()


def test_a_state_folder_that_cannot_be(shop: Shop, bin_folder: Path) -> None:
    """A file in its place is told, with the variable that moves it."""
    use(shop, "claude")
    install(bin_folder, "claude")
    (shop.root / "in-the-way").write_text("x")
    answer = doctor(shop, bin_folder, WEFT_HOME=str(shop.root / "in-the-way" / "state"))
    assert answer.code == 1
    assert "WEFT_HOME" in check(answer, "state folder")["hint"]


def test_looking_makes_nothing(shop: Shop, bin_folder: Path) -> None:
    """No state folder, no database."""
    doctor(shop, bin_folder)
    assert not shop.state.exists()


def test_for_people(shop: Shop, bin_folder: Path) -> None:
    """One line a check, the hint below it."""
    use(shop, "codex")
    answer = shop.weft("doctor", cwd=shop.repo.path, PATH=str(bin_folder))
    lines = answer.out.splitlines()
    line = next(number for number, text in enumerate(lines) if "agent codex" in text)
    assert lines[line].startswith("PROBLEM")
    assert lines[line + 1].strip().startswith("hint: npm install")


def test_git_that_is_not_there(shop: Shop, tmp_path: Path) -> None:
    """The first thing that is needed."""
    empty = tmp_path / "empty"
    empty.mkdir()
    answer = doctor(shop, empty)
    assert answer.code == 1
    assert check(answer, "git")["status"] == "problem"
