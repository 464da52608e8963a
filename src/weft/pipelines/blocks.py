"""Fenced blocks of Markdown, read in order as a person would: a fence inside a longer one is text."""

from __future__ import annotations

import re

import msgspec

_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)")


class Block(msgspec.Struct, frozen=True):
    info: str
    """The word after the opening fence, in small letters."""
    body: str
    last: bool
    """Whether nothing but space follows it."""
    closed: bool = True


def fenced_blocks(text: str) -> list[Block]:
    """All of them, one that is never closed included."""
    blocks: list[Block] = []
    lines = text.rstrip().split("\n")
    opened: re.Match[str] | None = None
    start = 0
    for number, line in enumerate(lines):
        found = _FENCE.fullmatch(line.rstrip())
        if found is None:
            continue
        if opened is None:
            opened, start = found, number + 1
        elif _closes(opened, found):
            info = opened["info"].strip().lower()
            blocks.append(Block(info, "\n".join(lines[start:number]), number == len(lines) - 1))
            opened = None
    if opened is not None:
        blocks.append(Block(opened["info"].strip().lower(), "\n".join(lines[start:]), last=True, closed=False))
    return blocks


def _closes(opened: re.Match[str], found: re.Match[str]) -> bool:
    return not found["info"] and found["marks"].startswith(opened["marks"])
