"""A repo as a plan has it, by its own settings."""

from __future__ import annotations

from pathlib import Path

from weft.assembly.lock_place import lock_place
from weft.model.plan import Repo, WorkspaceSetup
from weft.settings.environment import Environment
from weft.settings.gates import gates_of
from weft.settings.sections import Settings, WorkspaceSettings


def repo_of(settings: Settings, environment: Environment, root: Path, name: str, base: str) -> Repo:
    return Repo(
        name=name,
        path=str(root),
        base=base,
        gates=gates_of(settings, root),
        gate_env=settings.gates.env,
        workspace=workspace_setup(settings.workspace),
        locks=lock_place(settings.locks, environment, root),
    )


def workspace_setup(said: WorkspaceSettings) -> WorkspaceSetup:
    return WorkspaceSetup(setup=said.setup, copy=said.copy, link=said.link, timeout=said.timeout)
