"""The `weft` command itself, as a real process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from weft.cli import registry
from weft.version import __version__

SCRIPT = Path(sys.executable).with_name("weft")


def process(*args: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    own = {"PATH": os.environ["PATH"], "HOME": str(cwd), **variables}
    return subprocess.run([SCRIPT, *args], cwd=cwd, env=own, capture_output=True, text=True, timeout=60, check=False)


def test_version_needs_nothing(tmp_path: Path) -> None:
    """`--version` is answered before click, msgspec or asyncio are imported (PERF-2)."""
    probe = (
        "import sys; sys.argv = ['weft', '--version']; import weft.__main__ as m; m.main(); print(sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", probe], cwd=tmp_path, capture_output=True, text=True, check=True)
    version, modules = done.stdout.splitlines()
    assert version == f"weft {__version__}"
    assert not {"click", "msgspec", "asyncio", "sqlite3", "yaml", "rich", "weft.cli.main"} & set(eval(modules))


def test_version_of_the_installed_command(tmp_path: Path) -> None:
    """The installed script and `python -m weft` say the same."""
    module = subprocess.run(
        [sys.executable, "-m", "weft", "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    done = process("--version", cwd=tmp_path)
    assert done.stdout == module.stdout == f"weft {__version__}\n"


def test_help_imports_no_command(tmp_path: Path) -> None:
    """`--help` lists the commands without importing one, so it starts fast."""
    probe = "import sys; from weft.cli.main import run; run(['--help']); print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", probe], cwd=tmp_path, capture_output=True, text=True, check=True)
    *shown, modules = done.stdout.splitlines()
    loaded = set(eval(modules))
    assert not {registry.module_of(name) for name in registry.names()} & loaded
    assert not {"msgspec", "asyncio", "sqlite3", "yaml", "rich"} & loaded
    for name in registry.names():
        assert any(line.split()[:1] == [name] for line in shown), name


@pytest.mark.parametrize("name", registry.names())
def test_every_command_has_its_help(name: str, weft: Callable[..., Any]) -> None:
    """Each command of the list can be imported, is called what the list calls it, and explains itself."""
    answer = weft(name, "--help")
    assert answer.code == 0
    assert answer.out.startswith(f"Usage: weft {name}")


def test_no_arguments_show_the_help(weft: Callable[..., Any]) -> None:
    """`weft` alone says what there is."""
    answer = weft()
    assert answer.code == 0
    assert "Usage: weft" in answer.out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["confg"], "unknown command `confg`, did you mean `config`?"),
        (["xyzzy"], "unknown command `xyzzy`"),
        (["--verison"], "--verison"),
        (["config"], "Missing command"),
        (["config", "shwo"], "shwo"),
        (["config", "show", "--jsn"], "--jsn"),
        (["config", "show", "more"], "more"),
    ],
)
def test_wrong_usage(args: list[str], said: str, weft: Callable[..., Any]) -> None:
    """A command or option that does not exist is exit 2, with a guess and a hint."""
    answer = weft(*args)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("error: ")
    assert said in answer.err
    assert "hint: `weft" in answer.err


def test_bad_setting_in_a_real_process(tmp_path: Path) -> None:
    """The whole way once: exit status, streams, no traceback (RUN-2)."""
    (tmp_path / "weft.toml").write_text("[run]\nconcurrency = 0\n")
    done = process("config", "show", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[0] == "error: weft.toml: run.concurrency = 0: must be a positive integer"
    assert "Traceback" not in done.stderr


def test_reader_that_goes_away(tmp_path: Path) -> None:
    """A closed pipe ends the command quietly."""
    command = f"{SCRIPT} config show | true"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        own = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        broken = subprocess.run(
            [SCRIPT, "config", "show"], cwd=tmp_path, env=own, stdout=closed, stderr=subprocess.PIPE, check=False
        )
    assert broken.stderr == b""


def test_folder_that_was_removed(tmp_path: Path) -> None:
    """A current folder that is gone is no traceback."""
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f"cd {gone} && rmdir {gone} && {SCRIPT} config show"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert "Traceback" not in done.stderr
