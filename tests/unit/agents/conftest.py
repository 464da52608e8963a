"""Session requests for agents under test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job
from weft.model.phase import Phase, StepKind
from weft.model.plan import AgentKind, AgentSpec
from weft.ports import SessionRequest

MakeRequest = Callable[..., SessionRequest]


@pytest.fixture
def make_request(tmp_path: Path) -> MakeRequest:
    """A request for phase exec of shop#101; keyword arguments change the agent's settings."""

    def make(
        *, verdict: bool = False, environment: dict[str, str] | None = None, text: str = "Do it\n", **spec: object
    ) -> SessionRequest:
        agent = msgspec.structs.replace(AgentSpec("mine", AgentKind.COMMAND, ("./agent.sh",)), **spec)
        key = JobKey("shop", "101")
        return SessionRequest(
            attempt=AttemptId(RunId("r-1"), key, "exec", 2),
            job=Job(key, "Add login", lane="shop"),
            phase=Phase("exec", (StepKind.SESSION,), verdict=verdict),
            agent=agent,
            prompt=text,
            workdir=tmp_path / "work",
            prompt_file=tmp_path / "prompt.md",
            issue_file=tmp_path / "issue.md",
            environment=environment or {},
        )

    return make
