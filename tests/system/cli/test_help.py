"""What every command has in common."""

from __future__ import annotations

import pytest
from tests.system.cli.conftest import Weft

from weft.cli import registry

SELDOM_DATA = {"init", "demo", "config"}
"""Commands that are not for scripts, and groups."""
WITHOUT_JSON = {"config", "daemon", "locks", "projects", "schema", "wave"}
"""Groups, whose commands have it, and what prints nothing but JSON."""


@pytest.mark.parametrize("name", registry.names())
def test_every_command_explains_itself(weft: Weft, name: str) -> None:
    """`--help` says what the command does; commands for every day come with examples that name the command."""
    answer = weft(name, "--help")
    assert answer.code == 0
    assert answer.out.startswith(f"Usage: weft {name}")
    if name not in SELDOM_DATA:
        assert f"Examples:\n    weft {name}" in answer.out


@pytest.mark.parametrize("name", [name for name in registry.names() if name not in WITHOUT_JSON])
def test_every_command_that_shows_something_has_json(weft: Weft, name: str) -> None:
    """Principle 6: stdout is data: every command that shows something has `--json`."""
    assert "--json" in weft(name, "--help").out


def test_the_commands_of_this_release() -> None:
    """Every command that the help lists is there to be run."""
    listed = [name for commands in registry.GROUPS.values() for name in commands]
    assert registry.names() == listed


@pytest.mark.parametrize("name", registry.names())
def test_an_unknown_flag_is_refused(weft: Weft, name: str) -> None:
    """A flag that does not exist is exit 2, in the house's words."""
    answer = weft(name, "--no-such-flag")
    assert answer.code == 2
    assert answer.err.startswith("error: ")
    assert "hint: " in answer.err
