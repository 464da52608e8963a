"""What Weft never commits: the user's own ignores, common litter, and what `[workspace]` brought in.

Git takes one `core.excludesFile`, so the user's and Weft's are joined in a file of Weft's. As with any ignore, tracked
files are not touched by it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from weft.model.plan import WorkspaceSetup

LITTER = (
    "__pycache__/",
    "*.pyc",
    ".pytest_cache/",
    ".mypy_cache/",
    ".ruff_cache/",
    "node_modules",
    ".venv",
)


def users_excludes(configured: str | None, environment: Mapping[str, str]) -> Path | None:
    """Where the user's own ignores are: `core.excludesFile`, else git's default place."""
    home = environment.get("HOME", "")
    if configured is not None:
        return Path(home + configured[1:]) if configured.startswith("~/") else Path(configured)
    config = environment.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else "")
    return Path(config) / "git" / "ignore" if config else None


def write_excludes(folder: Path, users: Path | None, setup: WorkspaceSetup) -> Path:
    """The joined file, named for what is in it, so that several processes may write it at once."""
    content = _content(users, setup)
    file = folder / f"excludes-{hashlib.sha256(content).hexdigest()[:12]}"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        aside = file.with_name(f"{file.name}.{os.getpid()}.new")
        aside.write_bytes(content)
        aside.replace(file)
    return file


def _content(users: Path | None, setup: WorkspaceSetup) -> bytes:
    # Weft's lines come first: the last match wins, so a user's `!node_modules` still holds.
    lines = [*LITTER, *(_anchored(path) for path in (*setup.copy, *setup.link))]
    return os.fsencode("\n".join(lines) + "\n") + _read(users)


def _read(file: Path | None) -> bytes:
    try:
        return file.read_bytes() if file else b""
    except OSError:
        return b""


def _anchored(path: str) -> str:
    """A pattern for exactly this path."""
    escaped = "".join(f"\\{char}" if char in "\\*?[ !#" else char for char in os.path.normpath(path))
    return f"/{escaped}"
