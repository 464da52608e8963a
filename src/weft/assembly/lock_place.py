"""Where the locks of a repo are, made ready before anything starts."""

from __future__ import annotations

import contextlib
from pathlib import Path

from weft.assembly.locks import folder_of
from weft.locks.checkout import find_checkout
from weft.locks.folder import LockFolder, lock_folder
from weft.locks.network import network_warning
from weft.model.plan import LockPlace, LockRule, Plan
from weft.settings.environment import Environment
from weft.settings.sections import Locks
from weft.workspaces.info_exclude import exclude


def lock_place(settings: Locks, environment: Environment, root: Path) -> LockPlace:
    return LockPlace(
        folder=str(lock_folder(root, environment.get("WEFT_LOCKS_DIR"))),
        remote_ttl=settings.remote_ttl,
        also=tuple(str(root / also) for also in settings.also),
    )


def lock_folders(plan: Plan) -> list[LockFolder]:
    if plan.lock is LockRule.NONE:
        return []
    return [folder_of(repo.locks) for repo in plan.repos if repo.locks is not None]


def make_lock_folders(plan: Plan) -> None:
    """LOCK-11: raises where locks cannot be written, before there is any work that would go without."""
    for repo, folder in zip(plan.repos, lock_folders(plan), strict=False):
        folder.ensure()
        for path in (folder.path, *folder.also):
            _hide(Path(repo.path), Path(path))


def network_warnings(plan: Plan) -> list[str]:
    return [warning for folder in lock_folders(plan) if (warning := network_warning(folder))]


def _hide(root: Path, path: Path) -> None:
    """Git is told not to see it, in the repo's own list, never in the user's `.gitignore`."""
    checkout = find_checkout(root)
    if checkout is None or not path.is_relative_to(checkout.root):
        return
    inside = path.relative_to(checkout.root)
    with contextlib.suppress(OSError):
        exclude(checkout.common_dir, "/.weft/" if inside.parts[0] == ".weft" else f"/{inside}/")
