"""Where the projects of the settings are, and what each is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from weft.model.ids import slug
from weft.settings.environment import Environment
from weft.settings.load import Loaded
from weft.settings.sections import ProjectSettings


class Place(msgspec.Struct, frozen=True):
    """One entry of `[[projects]]`."""

    name: str
    path: Path
    said: ProjectSettings


def places(loaded: Loaded, environment: Environment) -> list[Place]:
    """Urgent ones first, else as listed; each with a name of its own."""
    said = loaded.settings.projects
    paths = [_path(project.path, loaded.folder, environment) for project in said]
    names = _names([project.name or path.name for project, path in zip(said, paths, strict=True)], paths)
    found = [Place(name, path, project) for name, path, project in zip(names, paths, said, strict=True)]
    return sorted(found, key=lambda place: -place.said.priority)


def _path(text: str, folder: Path, environment: Environment) -> Path:
    """`~` is the user's home; what is relative is meant from the settings' folder. Links stay as they are written."""
    expanded = environment.home / text[2:] if text.startswith("~/") else environment.home if text == "~" else Path(text)
    path = folder / expanded
    return Path(*_without_dots(path))


def _without_dots(path: Path) -> list[str]:
    """As a person reads it: `a/../b` is `b`."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and len(parts) > 1:
            parts.pop()
        else:
            parts.append(part)
    return parts


def _names(wanted: Sequence[str], paths: Sequence[Path]) -> list[str]:
    """Two projects whose folders are called alike are told apart by the folder above, else by a number."""
    plain = [slug(name) for name in wanted]
    counts = Counter(plain)
    longer = [
        name if counts[name] == 1 else f"{slug(path.parent.name)}-{name}"
        for name, path in zip(plain, paths, strict=True)
    ]
    taken: Counter[str] = Counter()
    names: list[str] = []
    for name in longer:
        taken[name] += 1
        names.append(name if taken[name] == 1 else f"{name}-{taken[name]}")
    return names
