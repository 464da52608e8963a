"""The `[workspace]` set-up of a fresh worktree: copy, link, then the set-up command."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

from weft.errors import WorkspaceError
from weft.model.plan import WorkspaceSetup

RunSetup = Callable[[str, Path, str, Path], Awaitable[tuple[int, str]]]
"""(command, folder, name for its log, the repo's checkout) → (exit status, end of its output). It is ended when this is
cancelled.
"""


async def furnish(setup: WorkspaceSetup, checkout: Path, workspace: Path, log_name: str, run_setup: RunSetup) -> None:
    for path in setup.copy:
        source, target = _ends("copy", path, checkout, workspace)
        await asyncio.to_thread(_copy, source, target)
    for path in setup.link:
        source, target = _ends("link", path, checkout, workspace)
        _link(source, target)
    if setup.setup:
        await _run(setup, checkout, workspace, log_name, run_setup)


async def _run(setup: WorkspaceSetup, checkout: Path, workspace: Path, log_name: str, run_setup: RunSetup) -> None:
    try:
        async with asyncio.timeout(setup.timeout):
            status, tail = await run_setup(setup.setup, workspace, log_name, checkout)
    except TimeoutError as late:
        raise WorkspaceError(
            f"workspace set-up `{setup.setup}` in `{workspace}` took longer than {setup.timeout:g} s"
        ) from late
    if status != 0:
        raise WorkspaceError(
            f"workspace set-up `{setup.setup}` in `{workspace}` failed with status {status}: {tail.strip()}"
        )


def _ends(key: str, path: str, checkout: Path, workspace: Path) -> tuple[Path, Path]:
    """Where it comes from and goes to, both of which must lie inside, whatever symlinks the repo holds."""
    source, target = checkout / path, workspace / path
    parts = Path(path).parts
    outside = not parts or Path(path).is_absolute() or ".." in parts or parts[0] == ".git"
    if outside or not _is_inside(source, checkout) or not _is_inside(target, workspace):
        raise WorkspaceError(f"`workspace.{key}` names `{path}`, which is not inside the repo")
    if not source.exists():
        raise WorkspaceError(f"`workspace.{key}` names `{path}`, which is not in `{checkout}`")
    return source, target


def _is_inside(path: Path, folder: Path) -> bool:
    return path.parent.resolve().is_relative_to(folder.resolve())


def _copy(source: Path, target: Path) -> None:
    """What is there already is the repo's own and stays."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, copy_function=_copy_new)
    elif not target.exists():
        shutil.copy2(source, target)


def _copy_new(source: str, target: str) -> str:
    return target if Path(target).exists() else str(shutil.copy2(source, target))


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() and not target.is_symlink():
        target.symlink_to(source)
