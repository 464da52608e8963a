"""Commands and flags that pages speak of exist."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from tests.system.docs.pages import PAGES, ROOT, blocks, prose, shown

from weft.cli import registry
from weft.cli.main import weft

_FOLDERS = sorted(path.name for path in (ROOT / "src" / "weft").iterdir() if path.is_dir())
_INLINE = re.compile(r"`([^`\n]+)`")
_CALL = re.compile(r"(?:^|[\s(|&;])weft ([a-z]+)\b((?:(?! # )[^|&;`\n])*)")
_SOURCE = re.compile(r"(src|tests|scripts|" + "|".join(_FOLDERS) + r")/[\w/.-]*\.\w+")
_FLAG = re.compile(r"(?<!\S)--[a-z][a-z-]*")


def _calls(page: Path) -> list[tuple[str, list[str]]]:
    """Each `weft COMMAND …` in code, with its flags."""
    told = [*_INLINE.findall(prose(page)), *(block.text for block in blocks(page) if block.kind in ("sh", "console"))]
    return [(name, _FLAG.findall(rest)) for text in told for name, rest in _CALL.findall(text)]


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_files_in_pages_exist(page: Path) -> None:
    """A source file that a page names, from the root or from `src/weft`, is there (DOC-1)."""
    named = [text for text in _INLINE.findall(prose(page)) if _SOURCE.fullmatch(text)]
    assert [name for name in named if not any((root / name).exists() for root in (ROOT, ROOT / "src" / "weft"))] == []


def _flags(name: str) -> set[str]:
    command = weft.get_command(click.Context(weft), name)
    assert command is not None
    inner = command.commands.values() if isinstance(command, click.Group) else []
    options = [each for one in (command, *inner) for each in one.params if isinstance(each, click.Option)]
    return {flag for each in options for flag in (*each.opts, *each.secondary_opts)} | {"--help"}


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_commands_in_pages_exist(page: Path) -> None:
    """No page speaks of a command or flag that this version does not have (DOC-1)."""
    known = registry.names()
    calls = _calls(page)
    assert sorted({name for name, _ in calls if name not in known}) == []
    assert [(name, flag) for name, flags in calls for flag in flags if flag not in _flags(name)] == []
