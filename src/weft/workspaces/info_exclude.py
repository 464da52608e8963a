"""The repo's own list of what git is not to see: `.git/info/exclude`. The user's `.gitignore` is never touched."""

from __future__ import annotations

from pathlib import Path


def exclude(common_dir: Path, pattern: str) -> bool:
    """Add the pattern unless it is there; whether it was added."""
    file = common_dir / "info" / "exclude"
    before = file.read_bytes() if file.exists() else b""
    if pattern.encode() in before.splitlines():
        return False
    file.parent.mkdir(exist_ok=True)
    # Appended in one write, so that nobody sees half a line and another process's line is not lost.
    with file.open("ab") as appended:
        appended.write((b"" if before.endswith(b"\n") or not before else b"\n") + pattern.encode() + b"\n")
    return True
