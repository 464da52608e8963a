"""The main checkout of the repo a folder lies in, read off git's own files: asking git takes longer than all else."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Checkout(NamedTuple):
    root: Path
    """The main checkout, also when asked from one of its worktrees."""
    common_dir: Path
    """The repo's `.git`."""


def find_checkout(folder: Path) -> Checkout | None:
    """None where the folder lies in no repo."""
    start = folder.resolve()
    for candidate in (start, *start.parents):
        link = candidate / ".git"
        if (link / "HEAD").exists():
            return Checkout(candidate, link.resolve())
        if link.is_file():
            return _linked(candidate, link)
    return None


def _linked(folder: Path, link: Path) -> Checkout | None:
    """A worktree's `.git` is a file that names git's own folder for it; a submodule's too."""
    own = _path_in(link, folder, "gitdir:")
    if own is None or not (own / "HEAD").exists():
        return None
    common = _path_in(own / "commondir", own)
    if common is None:
        return Checkout(folder, own)
    return Checkout(common.parent if common.name == ".git" else _worktree_of(common), common)


def _worktree_of(common: Path) -> Path:
    """Of a submodule, whose `.git` lies elsewhere; a bare repo has none and stands for itself."""
    try:
        lines = (common / "config").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return common
    named = [line.partition("=")[2].strip() for line in lines if line.partition("=")[0].strip() == "worktree"]
    return (common / named[0]).resolve() if named else common


def _path_in(file: Path, base: Path, prefix: str = "") -> Path | None:
    try:
        text = file.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return None
    if not text.startswith(prefix):
        return None
    return (base / text.removeprefix(prefix).strip()).resolve()
