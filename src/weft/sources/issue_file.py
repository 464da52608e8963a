"""One issue from one Markdown file."""

from __future__ import annotations

import re
from pathlib import Path

from weft.errors import UsageError
from weft.model.ids import slug
from weft.pipelines.fence import clean_line
from weft.ports import Issue
from weft.sources.dependencies import body_dependencies
from weft.sources.front_matter import split
from weft.sources.issue_keys import read_keys

ENDINGS = (".md", ".markdown")
_NUMBERED = re.compile(r"([0-9]{1,18})(?:[-_. ].*)?", re.DOTALL)
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*?)[ \t#]*$", re.MULTILINE)
_LARGEST = 50_000_000


def number_of(path: Path) -> str | None:
    """`101` for `101-add-login.md` and `102` for `102.md`; None where the name has no number in front."""
    match = _NUMBERED.fullmatch(path.stem)
    return str(int(match[1])) if match and int(match[1]) > 0 else None


def read_issue(path: Path, shown_as: str) -> Issue:
    """The issue; UsageError with everything that is wrong with the file."""
    document = split(_text(path, shown_as), shown_as)
    values = read_keys(document.nodes, shown_as)
    said = values.get("depends_on", ())
    return Issue(
        id=number_of(path) or _named(path),
        title=values.get("title") or _heading(document.body) or _words(path.stem),
        body=document.body,
        origin=shown_as,
        depends_on=tuple(dict.fromkeys((*said, *body_dependencies(document.body)))),
        labels=values.get("labels", ()),
        milestone=values.get("milestone"),
        touches=values.get("touches", ()),
        priority=values.get("priority", 0),
        closed=values.get("state", False),
    )


def _named(path: Path) -> str:
    """A file without a number is known by its name; an id that is no number begins with a letter."""
    name = slug(path.stem)
    return name if name[0].isalpha() else f"i-{name}"


def _text(path: Path, shown_as: str) -> str:
    data = _bytes(path, shown_as)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{shown_as}: line {line}: not UTF-8", hint="save the file as UTF-8") from None


def _bytes(path: Path, shown_as: str) -> bytes:
    try:
        if not path.is_file():
            raise UsageError(f"{shown_as}: not a file" if path.exists() else f"{shown_as}: does not exist")
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"{shown_as}: larger than {_LARGEST // 1_000_000} MB")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{shown_as}: cannot be read: {error.strerror}") from None


def _heading(body: str) -> str | None:
    match = _HEADING.search(body[:10_000])
    return clean_line(match[1]) if match else None


def _words(stem: str) -> str:
    """`Add login` for `101-add-login`; the whole name where it is a number alone."""
    name = re.sub(r"^[0-9]+[-_. ]+", "", stem)
    words = re.sub(r"[-_]+", " ", name).strip() or stem
    return f"Issue {words}" if words.isdigit() else clean_line(words[:1].upper() + words[1:])
