"""The environment: which folders it leads to."""

from __future__ import annotations

import os
from pathlib import Path

from weft.settings.environment import Environment

HERE = Path("/here")


def of(**variables: str) -> Environment:
    return Environment(variables, HERE)


def test_state_folder() -> None:
    """`WEFT_HOME` moves it; else the user's state folder."""
    assert of(HOME="/h").state_folder == Path("/h/.local/state/weft")
    assert of(HOME="/h", XDG_STATE_HOME="/s").state_folder == Path("/s/weft")
    assert of(HOME="/h", XDG_STATE_HOME="/s", WEFT_HOME="/w").state_folder == Path("/w")


def test_relative_and_empty_values() -> None:
    """A relative `WEFT_HOME` is meant from the current folder; a relative XDG one is ignored, as its standard says."""
    assert of(HOME="/h", WEFT_HOME="w").state_folder == HERE / "w"
    assert of(HOME="/h", WEFT_HOME="~/w").state_folder == Path("/h/w")
    assert of(HOME="/h", WEFT_HOME="", XDG_STATE_HOME="s").state_folder == Path("/h/.local/state/weft")


def test_config_file() -> None:
    """The user's own settings are in the user's config folder."""
    assert of(HOME="/h").config_file == Path("/h/.config/weft/config.toml")
    assert of(HOME="/h", XDG_CONFIG_HOME="/c").config_file == Path("/c/weft/config.toml")


def test_colour() -> None:
    """`NO_COLOR` and a dumb terminal have none."""
    assert of(TERM="xterm").wants_colour
    assert not of(TERM="xterm", NO_COLOR="1").wants_colour
    assert not of(TERM="dumb").wants_colour


def test_a_snapshot() -> None:
    """What happens to the process's own environment later does not show."""
    before = Environment.read()
    os.environ["WEFT_SNAPSHOT_TEST"] = "1"
    try:
        assert before.get("WEFT_SNAPSHOT_TEST") is None
        assert Environment.read().get("WEFT_SNAPSHOT_TEST") == "1"
    finally:
        del os.environ["WEFT_SNAPSHOT_TEST"]
