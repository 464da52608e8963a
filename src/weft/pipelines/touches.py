"""The files a plan means to touch: a fenced `touches` block, one path or pattern per line."""

from __future__ import annotations

from collections.abc import Iterable

from weft.pipelines.blocks import fenced_blocks
from weft.pipelines.fence import clean_line

_MOST = 1000
_LONGEST = 500


def parse_touches(text: str) -> tuple[str, ...]:
    """The paths of the last such block; none where there is no block."""
    blocks = [block.body for block in fenced_blocks(text) if block.closed and block.info == "touches"]
    return clean_paths(blocks[-1].splitlines()) if blocks else ()


def clean_paths(paths: Iterable[str]) -> tuple[str, ...]:
    """Those that name something inside the repo, each once, in order."""
    kept = dict.fromkeys(path for path in map(_path, paths) if path)
    return tuple(kept)[:_MOST]


def _path(line: str) -> str | None:
    path = clean_line(line, _LONGEST).removeprefix("- ").strip("`").removeprefix("./").strip()
    if not path or path.startswith(("/", "~", "#", "```")) or ".." in path.split("/") or path.endswith("…"):
        return None
    return path
