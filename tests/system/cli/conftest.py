"""A command line to try things with: in this process for speed, with an environment and a folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.system.cli.answer import Answer as Answer
from tests.system.cli.desk import Desk
from tests.system.cli.shop import Shop

from weft.cli.main import run
from weft.settings.environment import Environment

Weft: TypeAlias = Callable[..., Answer]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder the command is given in."""
    path = tmp_path / "shop"
    path.mkdir()
    return path


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The state folder; nothing is in it until a command or a test makes it."""
    return tmp_path / "state"


@pytest.fixture
def weft(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> Weft:
    """`weft("config", "show", WEFT_CONCURRENCY="2")`."""

    def call(*args: str, **variables: str) -> Answer:
        own = {"HOME": str(tmp_path / "home"), "WEFT_HOME": str(tmp_path / "state"), "PATH": "/usr/bin:/bin"}
        code = run(args, Environment(own | variables, folder))
        return Answer(code, *capsys.readouterr())

    return call


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    """The command line in a real repo."""
    return Desk(Shop(tmp_path), capsys)
