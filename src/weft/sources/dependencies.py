"""References to other issues: in front matter, and in lines of an issue's text."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SAYS_SO = re.compile(r"(?:depends[ \t]+on|deps)[ \t*_]*:?[ \t*_]*", re.IGNORECASE)
_REFERENCE = re.compile(r"(?:[A-Za-z0-9._-]{1,100}(?:/[A-Za-z0-9._-]{1,100})?)?#[0-9]{1,18}\b")
_BETWEEN = re.compile(r"[ \t]*,?[ \t]*(?:and[ \t]+)?", re.IGNORECASE)
_WRITTEN = re.compile(r"(?:(?P<repo>[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)?)?#)?(?P<id>[0-9]{1,18})")


def body_dependencies(body: str) -> tuple[str, ...]:
    """`Depends on: #3, #7`, `Depends on #5`, `deps: #1` where a line begins so; code blocks say nothing."""
    found = [normal(reference) for line in _prose(body) for reference in _references(line)]
    return tuple(dict.fromkeys(found))


def normal(reference: str) -> str:
    """`#100`, `0100` and `100` are the same; a reference to another repo keeps the repo."""
    match = _WRITTEN.fullmatch(reference.strip())
    if not match:
        raise ValueError(reference)
    ident = str(int(match["id"]))
    return f"{match['repo']}#{ident}" if match["repo"] else ident


def _prose(body: str) -> Iterator[str]:
    """The lines outside fenced code."""
    fence = ""
    for line in body.splitlines():
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        elif not fence:
            yield line


def _references(line: str) -> Iterator[str]:
    """Those at the line's beginning: `Depends on #5 (not #6)` is one."""
    text = line.lstrip(" \t>*_-")
    start = _SAYS_SO.match(text)
    position = start.end() if start else len(text)
    while match := _REFERENCE.match(text, position):
        yield match[0]
        between = _BETWEEN.match(text, match.end())
        position = between.end() if between else len(text)
