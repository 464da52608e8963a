"""State is the user's alone: folders 0700, files 0600."""

from __future__ import annotations

from pathlib import Path

from weft.stores.faults import refused

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


def make_folder(path: Path) -> None:
    """Make the folder and what is missing above it; what is there keeps the mode its owner gave it."""
    try:
        missing = [folder for folder in (path, *path.parents) if not folder.is_dir()]
        for folder in reversed(missing):
            folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
    except OSError as error:
        raise refused(path, error) from error
