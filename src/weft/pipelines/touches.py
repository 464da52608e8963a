"""The files a plan means to touch: a fenced `touches` block, one path or pattern per line."""

from __future__ import annotations

import re
from collections.abc import Iterable

from weft.pipelines.fence import clean_line

_BLOCK = re.compile(r"^(`{3,})[ \t]*touches[ \t]*\n(.*?)^\1`*[ \t]*$", re.M | re.S)
_MOST = 1000
_LONGEST = 500


def parse_touches(text: str) -> tuple[str, ...]:
    """The paths of the last such block; none where there is no block."""
    blocks = _BLOCK.findall(text)
    return clean_paths(blocks[-1][1].splitlines()) if blocks else ()


def clean_paths(paths: Iterable[str]) -> tuple[str, ...]:
    """Those that name something inside the repo, each once, in order."""
    kept = dict.fromkeys(path for path in map(_path, paths) if path)
    return tuple(kept)[:_MOST]


def _path(line: str) -> str | None:
    path = clean_line(line, _LONGEST).removeprefix("- ").strip("`").removeprefix("./").strip()
    if not path or path.startswith(("/", "~", "#", "```")) or ".." in path.split("/") or path.endswith("…"):
        return None
    return path
