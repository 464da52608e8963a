"""Where the locks are, for commands that deal with nothing else.

For speed, git is not asked, and the settings are read only where they say something about locks.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from weft.errors import UsageError
from weft.locks.checkout import Checkout, find_checkout
from weft.locks.folder import LockFolder, lock_folder
from weft.settings.environment import Environment
from weft.settings.files import find_file


def find_locks(environment: Environment) -> LockFolder:
    """The folder of the repo the command is given in."""
    if environment.orchestrated:
        return LockFolder("", bypassed=True)
    override = environment.get("WEFT_LOCKS_DIR")
    checkout = find_checkout(environment.folder)
    if checkout is None and override is None:
        raise UsageError(f"`{environment.folder}` is not in a git repo", hint="git init")
    root = checkout.root if checkout else environment.folder
    path = str(lock_folder(root, override))
    if not _settings_speak_of_locks(environment):
        return LockFolder(path)
    from weft.settings.load import load  # slow, and most repos say nothing about locks

    locks = load(environment).settings.locks
    return LockFolder(path, locks.remote_ttl, tuple(str(root / also) for also in locks.also))


def prepare(folder: LockFolder, environment: Environment) -> None:
    """Make the folder, and have git not see what is in it."""
    new = not folder.bypassed and not Path(folder.path).is_dir()
    folder.ensure()
    checkout = find_checkout(environment.folder) if new or folder.also else None
    if checkout:
        for path in (folder.path, *folder.also):
            _hide(checkout, Path(path))


def _hide(checkout: Checkout, path: Path) -> None:
    if not path.is_relative_to(checkout.root):
        return
    from weft.workspaces.info_exclude import exclude  # slow, and done once in a repo's life

    inside = path.relative_to(checkout.root)
    with contextlib.suppress(OSError):
        exclude(checkout.common_dir, "/.weft/" if inside.parts[0] == ".weft" else f"/{inside}/")


def _settings_speak_of_locks(environment: Environment) -> bool:
    if any(name.startswith("WEFT_LOCKS_") and name != "WEFT_LOCKS_DIR" for name in environment.variables):
        return True
    file = find_file(environment.folder.absolute())
    return any(_mentions_locks(path) for path in (file, environment.config_file) if path)


def _mentions_locks(file: Path) -> bool:
    try:
        return b"locks" in file.read_bytes()
    except FileNotFoundError:
        return False
    except OSError:
        return True
