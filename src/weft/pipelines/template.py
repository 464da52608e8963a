"""Strict prompt templates: `{{name}}`; `{{#name}} … {{/name}}` where it is not empty, `{{^name}} … ` where it is.

No code, no defaults: an unknown name is an error, and so is a value that was not given. Values go in as they are and
are never looked at again, so text from an issue cannot ask for anything. `\\{{` stands for `{{`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from weft.errors import UsageError
from weft.pipelines.suggest import alternatives

Value: TypeAlias = str | Sequence[str]
"""A list becomes one line per item, each after `- `."""

_NAME = re.compile(r"[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)?")
_TAG = re.compile(
    r"\\\{\{|(?P<start>^[ \t]*)?\{\{(?P<mark>[#^/]?)(?P<name>[^{}\n]*)\}\}(?P<end>[ \t]*(?:\n|\Z))?|\{\{", re.M
)


class Template(msgspec.Struct, frozen=True):
    name: str
    """For messages: the file, or the setting it stands in."""
    text: str


class _Piece(msgspec.Struct, frozen=True):
    """One bit of a template: `mark` is `text`, `bad`, or empty, `#`, `^`, `/` for tags."""

    mark: str
    body: str
    line: int


def check(template: Template, known: Iterable[str]) -> list[str]:
    """Everything wrong with it, each with its line; empty when it can be rendered with `known`."""
    names = list(known)
    problems: list[str] = []
    open_sections: list[_Piece] = []
    for piece in _pieces(template.text):
        problem = _problem_with(piece, names, open_sections)
        if problem:
            problems.append(f"{template.name}, line {piece.line}: {problem}")
    problems += [
        f"{template.name}, line {left.line}: `{{{{{left.mark}{left.body}}}}}` is never closed" for left in open_sections
    ]
    return problems


def variables(template: Template) -> frozenset[str]:
    """The names it asks for."""
    return frozenset(piece.body for piece in _pieces(template.text) if piece.mark in ("", "#", "^"))


def render(template: Template, values: Mapping[str, Value]) -> str:
    """The text with the values in it; UsageError with everything wrong when it does not check."""
    problems = check(template, values)
    if problems:
        raise UsageError("\n".join(problems))
    out: list[str] = []
    shown = [True]
    for piece in _pieces(template.text):
        match piece.mark:
            case "text":
                out.append(piece.body if shown[-1] else "")
            case "#" | "^":
                shown.append(shown[-1] and bool(_as_text(values[piece.body]).strip()) == (piece.mark == "#"))
            case "/":
                shown.pop()
            case _:
                out.append(_as_text(values[piece.body]) if shown[-1] else "")
    return "".join(out)


def _problem_with(piece: _Piece, known: list[str], open_sections: list[_Piece]) -> str | None:
    if piece.mark == "text":
        return None
    if piece.mark == "bad" or not _NAME.fullmatch(piece.body):
        shown = "" if piece.mark == "bad" else piece.body
        return f"`{{{{{shown}` is not a variable such as `{{{{title}}}}`; write `\\{{{{` for the characters"
    if piece.mark == "/":
        return _closing(piece, open_sections)
    if piece.mark:
        open_sections.append(piece)
    if piece.body not in known:
        return f"unknown variable `{{{{{piece.body}}}}}`; {alternatives(piece.body, known)}"
    return None


def _closing(piece: _Piece, open_sections: list[_Piece]) -> str | None:
    if not open_sections:
        return f"`{{{{/{piece.body}}}}}` closes a section that was not opened"
    opened = open_sections.pop()
    if opened.body != piece.body:
        return f"`{{{{/{piece.body}}}}}` closes `{{{{{opened.mark}{opened.body}}}}}` of line {opened.line}"
    return None


def _pieces(text: str) -> list[_Piece]:
    pieces: list[_Piece] = []
    position = 0
    for found in _TAG.finditer(text):
        start, end, mark = *_extent(found), _mark(found)
        pieces.append(_Piece("text", text[position:start], 0))
        body = "{{" if mark == "text" else (found["name"] or "").strip()
        pieces.append(_Piece(mark, body, text.count("\n", 0, found.start("name") if found["name"] else start) + 1))
        position = end
    pieces.append(_Piece("text", text[position:], 0))
    return [piece for piece in pieces if piece.mark != "text" or piece.body]


def _mark(found: re.Match[str]) -> str:
    if found[0] == "\\{{":
        return "text"
    return "bad" if found["name"] is None else found["mark"]


def _extent(found: re.Match[str]) -> tuple[int, int]:
    """Where a tag begins and ends: a section's tag alone on its line takes the line away with it."""
    alone = found["mark"] and found["start"] is not None and found["end"] is not None
    start = found.end("start") if found["start"] and not alone else found.start()
    end = found.start("end") if found["end"] and not alone else found.end()
    return start, end


def _as_text(value: Value) -> str:
    if isinstance(value, str):
        return value
    return "\n".join("- " + item.strip().replace("\n", "\n  ") for item in value)
