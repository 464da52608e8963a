"""What the user wrote to name an issue: `100`, `#100`, `owner/repo#100`, a Markdown file, or a quoted prompt."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeAlias

import msgspec

from weft.sources.issue_file import ENDINGS

_NUMBER = re.compile(r"#?([0-9]{1,18})")
_IN_REPO = re.compile(r"((?:[A-Za-z0-9._-]+/)?[A-Za-z0-9._-]+)#([0-9]{1,18})")


class Numbered(msgspec.Struct, frozen=True):
    """`100`, `#100`."""

    id: str


class InRepo(msgspec.Struct, frozen=True):
    """`owner/repo#100`, `repo#100`."""

    repo: str
    id: str


class InFile(msgspec.Struct, frozen=True):
    """A path to a Markdown file, which may not exist."""

    path: Path


class Prompt(msgspec.Struct, frozen=True):
    """Words to an agent."""

    text: str


class Unknown(msgspec.Struct, frozen=True):
    """Something else, and why it is not taken for a prompt."""

    reason: str


Reference: TypeAlias = Numbered | InRepo | InFile | Prompt | Unknown


def parse_reference(text: str, folder: Path) -> Reference:
    """`folder` is what a relative path is meant from."""
    written = text.strip()
    if match := _NUMBER.fullmatch(written):
        return Numbered(str(int(match[1]))) if int(match[1]) else Unknown("issues count from 1")
    if match := _IN_REPO.fullmatch(written):
        return InRepo(match[1], str(int(match[2])))
    if _is_path(written, folder):
        return InFile(folder / Path(written).expanduser())
    return _words(written)


def _is_path(written: str, folder: Path) -> bool:
    """A name that ends like a Markdown file; with spaces in it only if it exists, since prompts name files too."""
    if not written.lower().endswith(ENDINGS) or "\0" in written:
        return False
    return not any(char.isspace() for char in written) or exists(folder / written)


def exists(path: Path) -> bool:
    """Whether there is such a file; what cannot be a path is not there."""
    try:
        return path.exists()
    except OSError:  # a prompt can be longer than any path may be
        return False


def _words(written: str) -> Reference:
    if not written:
        return Unknown("it is empty")
    if not _is_unicode(written):
        return Unknown("it is not valid UTF-8")
    if not any(char.isspace() for char in written):
        return Unknown("not a number, a Markdown file or a prompt of several words")
    if not any(char.isalpha() for char in written):
        return Unknown("a prompt has words; several issues are written without quotes")
    return Prompt(written)


def _is_unicode(written: str) -> bool:
    """An argument may hold bytes that are no UTF-8; they reach Python as half characters."""
    try:
        written.encode()
    except UnicodeEncodeError:
        return False
    return True
