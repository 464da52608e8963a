"""Errors become exit codes and words in one place."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from weft.cli.errors import guarded, label
from weft.errors import BudgetError, DefectError, GitError, LockedError, UsageError
from weft.settings.environment import Environment


def raising(error: BaseException) -> Callable[[], int]:
    def act() -> int:
        raise error

    return act


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment({"WEFT_HOME": str(tmp_path / "state"), "API_TOKEN": "s3cret-value", "SHORT_KEY": "a"}, tmp_path)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), 2),
        (LockedError("x"), 3),
        (BudgetError("x"), 4),
        (GitError("x"), 1),
        (click.UsageError("x."), 2),
        (click.BadParameter("x"), 2),
        (click.FileError("x"), 2),
        (ExceptionGroup("tasks", [ExceptionGroup("inner", [GitError("x")])]), 1),
    ],
)
def test_exit_codes(error: Exception, code: int, environment: Environment, capsys: pytest.CaptureFixture[str]) -> None:
    """Each class of error has its exit code, and goes to stderr alone."""
    assert guarded(raising(error), environment, []) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")


def test_hint(environment: Environment, capsys: pytest.CaptureFixture[str]) -> None:
    """The hint follows on a line of its own; no colour where stderr is no terminal."""
    guarded(raising(UsageError("a is wrong\nb is wrong", hint="mend them")), environment, [])
    assert capsys.readouterr().err == "error: a is wrong\nerror: b is wrong\nhint: mend them\n"


def test_harmless(environment: Environment, capsys: pytest.CaptureFixture[str]) -> None:
    """What a file or an argument holds cannot act on the terminal (SEC-2)."""
    guarded(raising(UsageError("a\x1b[31m\udcff é", hint="\x07")), environment, [])
    assert capsys.readouterr().err == "error: a\\x1b[31m\\udcff é\nhint: \\x07\n"


def test_interrupted(environment: Environment, capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C is 130, without a traceback."""
    assert guarded(raising(KeyboardInterrupt()), environment, []) == 130
    assert guarded(raising(click.Abort()), environment, []) == 130
    assert guarded(raising(BaseExceptionGroup("tasks", [KeyboardInterrupt()])), environment, []) == 130
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("error", [ValueError("bad s3cret-value\nsecond"), DefectError("impossible s3cret-value")])
def test_defect(error: Exception, environment: Environment, capsys: pytest.CaptureFixture[str]) -> None:
    """A defect is 70 and leaves a report that only the user can read, without secrets."""
    assert guarded(raising(error), environment, ["run", "101", "fix it"]) == 70
    (report,) = (environment.state_folder / "crashes").iterdir()
    err = capsys.readouterr().err
    assert str(report) in err
    assert "Traceback" not in err
    text = report.read_text()
    assert "command: weft run 101 'fix it'" in text
    assert "Traceback" in text
    assert "s3cret-value" not in text + err
    assert "<API_TOKEN>" in text
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert stat.S_IMODE(report.parent.stat().st_mode) == 0o700


def test_defect_without_a_place_for_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the state folder cannot be made, the report is in the temporary folder."""
    (tmp_path / "state").write_text("a file")
    other = tmp_path / "tmp"
    other.mkdir()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(other))
    environment = Environment({"WEFT_HOME": str(tmp_path / "state")}, tmp_path)
    assert guarded(raising(ValueError("x")), environment, []) == 70
    (report,) = other.iterdir()
    assert str(report) in capsys.readouterr().err


def test_success(environment: Environment) -> None:
    """What a command answers is the exit code."""
    assert guarded(lambda: 0, environment, []) == 0
    assert guarded(lambda: 1, environment, []) == 1


def test_colour_on_a_terminal(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Colour only on a terminal and without NO_COLOR."""

    class Terminal:
        def isatty(self) -> bool:
            return True

    assert label("error:", "red", environment) == "error:"
    monkeypatch.setattr("sys.stderr", Terminal())
    assert "\x1b[" in label("error:", "red", environment)
    plain = environment._replace(variables={"NO_COLOR": "1"})
    assert label("error:", "red", plain) == "error:"


def test_config_show_json(weft: Callable[..., Any], folder: Path) -> None:
    """`--json` prints one document: each key with its value and where it came from."""
    (folder / "weft.toml").write_text("[run]\nconcurrency = 5\n[[repos]]\npath = '../api'\n[agents.claude]\n")
    (folder / "go.mod").write_text("")
    document = json.loads(weft("config", "show", "--json", WEFT_MERGE="queue").out)
    settings = document["settings"]
    assert document["files"] == [str(folder / "weft.toml")]
    assert settings["run.concurrency"] == {"value": 5, "source": "weft.toml"}
    assert settings["run.merge"] == {"value": "queue", "source": "WEFT_MERGE"}
    assert settings["run.retry"] == {"value": True, "source": "default"}
    assert settings["gates.test"] == {"value": "go test ./...", "source": "found in go.mod"}
    assert settings["gates.timeout"] == {"value": "20m", "source": "default"}
    assert settings["repos[0].path"] == {"value": "../api", "source": "weft.toml"}
    assert settings["agents.claude.prompt"] == {"value": "stdin", "source": "default"}


def test_config_show_text(weft: Callable[..., Any], folder: Path) -> None:
    """One line per key, with where it came from."""
    lines = weft("config", "show", WEFT_CONCURRENCY="7").out.splitlines()
    assert any(line.split() == ["run.concurrency", "=", "7", "#", "WEFT_CONCURRENCY"] for line in lines)
    assert any(line.split() == ["run.base", "=", "(not", "set)", "#", "default"] for line in lines)
