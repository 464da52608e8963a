"""A settings file that a command writes: never over one that is there, unless told to."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from weft.errors import UsageError
from weft.settings.files import FILE_NAME, OWN_FOLDER


def target_in(folder: Path, command: str, *, force: bool) -> Path:
    """The file to write: the one that is there, where it may be replaced."""
    there = [path for path in (folder / FILE_NAME, folder / OWN_FOLDER / FILE_NAME) if path.exists()]
    if there and not force:
        raise UsageError(f"`{there[0]}` exists", hint=f"`{command} --force` replaces it; `weft config show` shows it")
    return there[0] if there else folder / FILE_NAME


def write_settings(target: Path, text: str, *, force: bool) -> None:
    """Written aside and moved into place; a file that appeared meanwhile is not written over."""
    aside = target.with_name(f".{target.name}.new")
    try:
        aside.write_text(text, "utf-8")
        if not force:
            target.touch(exist_ok=False)
        aside.replace(target)
    except OSError as error:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise UsageError(f"`{target}`: cannot be written: {error.strerror}") from None
