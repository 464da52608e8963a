"""Finding and reading settings files."""

from __future__ import annotations

from os.path import lexists
from pathlib import Path
from typing import Any

from weft.errors import SettingsError

FILE_NAME = "weft.toml"
OWN_FOLDER = ".weft"
_LARGEST = 10_000_000


def find_file(folder: Path) -> Path | None:
    """`weft.toml` or `.weft/weft.toml` in `folder` or the nearest folder above it."""
    for candidate in (folder, *folder.parents):
        # A link that leads nowhere is there too: better an error than settings that do not hold.
        found = [path for path in (candidate / FILE_NAME, candidate / OWN_FOLDER / FILE_NAME) if lexists(path)]
        if len(found) > 1:
            raise SettingsError(f"both `{found[0]}` and `{found[1]}` exist", hint="keep one of them")
        if found:
            return found[0]
    return None


def home_of(file: Path) -> Path:
    """The folder that a settings file's relative paths are meant from."""
    return file.parent.parent if file.parent.name == OWN_FOLDER else file.parent


def read_file(path: Path, shown_as: str) -> dict[str, Any]:
    """The file's tables; SettingsError with its name for whatever is in the way."""
    import tomllib  # commands that need no settings only look for the file

    try:
        return tomllib.loads(_decoded(_bytes(path, shown_as), shown_as))
    except tomllib.TOMLDecodeError as error:
        hint = 'text values stand in quotes, such as `agent = "claude"`'
        raise SettingsError(f"{shown_as}: not valid TOML: {_plain(error)}", hint=hint) from None
    except ValueError:  # what tomllib lets through: an integer of thousands of digits
        raise SettingsError(f"{shown_as}: not valid TOML: a number is too long") from None
    except RecursionError:
        raise SettingsError(f"{shown_as}: not valid TOML: nested too deeply") from None


def _bytes(path: Path, shown_as: str) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except IsADirectoryError:
        raise SettingsError(f"{shown_as}: is a folder, not a file", hint="move the folder away") from None
    except OSError as error:
        raise SettingsError(f"{shown_as}: cannot be read: {error.strerror}") from None
    if len(data) > _LARGEST:
        raise SettingsError(f"{shown_as}: larger than {_LARGEST // 1_000_000} MB, which no settings file is")
    return data


def _decoded(data: bytes, shown_as: str) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{shown_as}: not UTF-8 at line {line}", hint="save the file as UTF-8") from None


def _plain(error: Exception) -> str:
    text = str(error)
    return text[:1].lower() + text[1:]
