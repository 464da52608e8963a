"""Requests to the built-in agents, for tests of what they make of them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job
from weft.model.phase import Phase, StepKind
from weft.model.plan import AgentKind, AgentSpec
from weft.ports import Earlier, SessionRequest

KINDS = (AgentKind.CLAUDE, AgentKind.CODEX, AgentKind.GEMINI, AgentKind.OPENCODE)
HERE = Path("/nowhere/job")


def phase(**options: object) -> Phase:
    """A phase that writes, unless told otherwise."""
    return msgspec.structs.replace(Phase("exec", (StepKind.SESSION,), writes=True), **options)


def ask(
    kind: AgentKind,
    *,
    spec: dict[str, object] | None = None,
    environment: dict[str, str] | None = None,
    resume: Earlier | None = None,
    folder: Path = HERE / "exec-1.agent",
    **options: Any,
) -> SessionRequest:
    key = JobKey("shop", "1")
    return SessionRequest(
        attempt=AttemptId(RunId("r-1"), key, "exec", 1),
        job=Job(key, "Add login", lane="shop"),
        phase=phase(**options),
        agent=msgspec.structs.replace(AgentSpec(kind.value, kind), **(spec or {})),
        prompt="Do it",
        workdir=HERE / "work",
        prompt_file=HERE / "prompt.md",
        issue_file=HERE / "issue.md",
        environment=environment or {},
        folder=folder,
        resume=resume,
    )


def pairs(argv: tuple[str, ...]) -> list[tuple[str, str]]:
    """Each argument with the one after it."""
    return list(pairwise(argv))
