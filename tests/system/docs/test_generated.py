"""What the reference says is what the code says."""

from __future__ import annotations

import subprocess
import sys
from enum import Enum
from typing import get_args

import click
import pytest
from tests.system.docs.pages import ROOT

from weft.board.states import RunStatus
from weft.cli import registry
from weft.cli.main import weft
from weft.errors import ExitCode
from weft.model.events import Input, Note
from weft.model.job import JobStatus
from weft.model.outcome import PhaseStatus
from weft.model.phase import FailureClass
from weft.scheduler.states import JobState
from weft.settings.schema import Leaf, NamedTables, Table, TableList, shapes
from weft.settings.sections import Settings
from weft.settings.variables import variables
from weft.sources.issue_keys import KEYS

REFERENCE = ROOT / "docs" / "reference"


def _page(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


def test_generated_parts_are_up_to_date() -> None:
    """Help texts, settings, events, states and exit codes are those of the code; else `make docs` is due (DOC-1)."""
    check = [sys.executable, str(ROOT / "scripts" / "make_docs.py"), "--check"]
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", registry.names())
def test_every_command_and_flag_has_its_line(name: str) -> None:
    """Each command has a heading of its own, and each of its flags stands below it (DOC-1)."""
    command = weft.get_command(click.Context(weft), name)
    assert command is not None
    _, found, rest = _page("commands.md").partition(f"\n## weft {name}\n")
    assert found, f"no heading for `weft {name}`"
    section = rest.partition("\n## ")[0]
    flags = [flag for each in command.params if isinstance(each, click.Option) for flag in each.opts]
    assert [flag for flag in flags if flag not in section] == []


def test_every_setting_has_its_line() -> None:
    """Each key of each section, and each variable, is in the page of settings (DOC-1)."""
    page = _page("settings.md")
    missing = [name for name in variables() if f"`{name}`" not in page]
    for top, shape in shapes(Settings).items():
        match shape:
            case Leaf():
                missing += [] if f"| `{top}` |" in page else [top]
            case Table(section) | NamedTables(section) | TableList(section):
                _, _, rest = page.partition(f"\n## `[{'[' if isinstance(shape, TableList) else ''}{top}")
                below = rest.partition("\n## `")[0]
                leaves = [key for key, inner in shapes(section).items() if isinstance(inner, Leaf)]
                missing += [f"{top}.{key}" for key in leaves if f"| `{key}` |" not in below]
    assert missing == []


@pytest.mark.parametrize("kind", [JobStatus, PhaseStatus, RunStatus, FailureClass])
def test_every_status_has_its_line(kind: type[Enum]) -> None:
    """Each value that a status can have is in the page of the journal (DOC-1)."""
    page = _page("journal.md")
    assert [each.value for each in kind if f"`{each.value}`" not in page] == []


def test_every_event_and_state_has_its_line() -> None:
    """Each event of the journal and each state of a job is a row of a table (DOC-1)."""
    page = _page("journal.md")
    names = [kind.__struct_config__.tag for kind in (*get_args(Input), *get_args(Note))]
    names += [state.name.lower() for state in JobState]
    assert [name for name in names if f"| `{name}` |" not in page] == []


def test_every_exit_code_has_its_line() -> None:
    """Each exit code is in the reference, and in the README (DOC-1)."""
    assert [code for code in ExitCode if f"| `{int(code)}` |" not in _page("exit-codes.md")] == []
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Exit codes")[2].partition("\n## ")[0]
    told = f"· {' '.join(section.split())}"
    assert [code for code in ExitCode if f"· {int(code)} " not in told] == []


def test_every_key_of_an_issue_file_has_its_line() -> None:
    """What may stand in an issue's front matter is in the page of issue files (DOC-1)."""
    page = _page("issue-files.md")
    assert [key for key in KEYS if f"| `{key}` |" not in page] == []
