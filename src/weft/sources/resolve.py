"""From what the user wrote to issues, or to one error that names all that is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import assert_never

import msgspec

from weft.errors import UsageError
from weft.model.spelling import closest
from weft.ports import Issue, IssueSource
from weft.sources.issue_file import read_issue
from weft.sources.prompt import prompt_issue
from weft.sources.reference import InFile, InRepo, Numbered, Prompt, Unknown, exists, parse_reference

_MOST_LISTED = 10


class Place(msgspec.Struct, frozen=True):
    """Where references are meant."""

    source: IssueSource
    repo: str
    """The repo's name; `owner/repo#1` and `repo#1` are its issues."""
    folder: Path
    """What relative paths are meant from."""
    looked_in: str
    """What the source is to the user, such as `issues`."""
    full_name: str | None = None
    """`owner/name`, where issues come from there: then the source knows no others than those asked for."""


class _Missing(Exception):
    """Says why a reference leads to no issue."""


def resolve(references: Sequence[str], place: Place) -> list[Issue]:
    """In the order given; the same issue named twice comes once. Raises UsageError that names all unknown ones."""
    found: dict[str, Issue] = {}
    problems: list[str] = []
    hints: list[str] = []
    unknown: list[str] = []
    for written in references:
        try:
            _add(found, _issue(written, place))
        except _Missing as missing:
            unknown.append(written)
            problems.append(f"unknown issue `{written}`: {missing}")
        except UsageError as error:
            problems.append(error.message)
            hints += [error.hint] if error.hint else []
    if problems:
        hint = _hint(unknown, place) if unknown else next(iter(hints), None)
        raise UsageError("\n".join(dict.fromkeys(problems)), hint=hint)
    return list(found.values())


def _issue(written: str, place: Place) -> Issue:
    reference = parse_reference(written, place.folder)
    match reference:
        case Numbered(ident):
            return _numbered(ident, place)
        case InRepo(repo, ident):
            if not _is_meant(repo, place):
                raise _Missing(f"this repo is `{place.full_name or place.repo}`")
            return _numbered(ident, place)
        case InFile(path):
            return _in_file(path, written)
        case Prompt(text):
            return prompt_issue(text)
        case Unknown(reason):
            raise _Missing(reason)
        case _:
            assert_never(reference)


def _is_meant(repo: str, place: Place) -> bool:
    name = repo.rpartition("/")[2]
    own = place.full_name or ""
    return name == place.repo or repo.lower() == own.lower() or repo.lower() == own.rpartition("/")[2].lower()


def _numbered(ident: str, place: Place) -> Issue:
    issue = place.source.find(ident)
    if issue is None:
        raise _Missing(f"not in `{place.looked_in}`")
    return issue


def _in_file(path: Path, written: str) -> Issue:
    if not exists(path):
        raise _Missing("there is no such file")
    return read_issue(path, written)


def _add(found: dict[str, Issue], issue: Issue) -> None:
    """Two files may not claim one id; the same file by two names may."""
    other = found.setdefault(issue.id, issue)
    if other.body != issue.body or other.title != issue.title:
        raise UsageError(f"issue `{issue.id}` is in two files: `{other.origin}` and `{issue.origin}`")


def _hint(unknown: Iterable[str], place: Place) -> str:
    if place.full_name:
        return f"`{place.full_name}` on GitHub has no such issue, or the token may not see it; pull requests are none"
    known = _known(place.source)
    if known is None:
        return "an issue is a number, a path to a Markdown file, or a prompt of several words in quotes"
    if not known:
        return f"`{place.looked_in}` has no issues; a prompt is several words in quotes"
    near = {word: closest(word.lstrip("#"), known) for word in unknown}
    guesses = [f"`{guess}`" for guess in near.values() if guess]
    listed = ", ".join(known[:_MOST_LISTED]) + (", …" if len(known) > _MOST_LISTED else "")
    meant = f"did you mean {', '.join(dict.fromkeys(guesses))}? " if guesses else ""
    return f"{meant}`{place.looked_in}` has {listed}"


def _known(source: IssueSource) -> list[str] | None:
    """The ids there are; None where the issues cannot all be read."""
    try:
        return [issue.id for issue in source.all()]
    except UsageError:
        return None
