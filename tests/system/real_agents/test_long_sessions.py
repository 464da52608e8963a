"""Real agents that are asked to end at a checkpoint, and gone on with (RECOVER-7, MERGE-4)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.model_answers import Hang, Model, Say, Shell, Write, script
from tests.system.real_agents.conftest import MakeSeat
from tests.system.real_agents.test_stops import DAEMONS, STARTED, alive

from weft.agents.options import ALIASES
from weft.execution.attended import EndedBy, Vigils
from weft.model.phase import FailureClass, SandboxMode
from weft.model.plan import AgentKind
from weft.ports import Earlier

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]

UNKNOWN = dict.fromkeys(ALIASES, "8d3b7d0e-5c55-4b6a-9a3e-0f9a1c2b3d4e") | {AgentKind.OPENCODE: "ses_unknown"}


class When:
    """A checkpoint that comes as soon as the agent has got that far."""

    by = EndedBy.CHECKPOINT

    def __init__(self, now: float, reached: Callable[[], bool]) -> None:
        self.due = now
        self._reached = reached

    async def over(self, now: float) -> bool:
        self.due = now + 0.05
        return self._reached()


def when(*files: Path) -> Vigils:
    """As soon as each of these has something in it."""
    return lambda pid, warden, now: [When(now, lambda: all(file.exists() and file.stat().st_size for file in files))]


@pytest.mark.parametrize("kind", list(ALIASES))
@pytest.mark.parametrize("in_a_tool", [True, False], ids=["in a tool", "waiting for its model"])
async def test_asked_to_end(kind: AgentKind, in_a_tool: bool, make_seat: MakeSeat) -> None:
    """It ends with all its tools started; it has not succeeded; and the session can be gone on with (RECOVER-7)."""
    seat = make_seat(kind)
    model: Model = script(Shell(DAEMONS), Hang()) if in_a_tool else script(Write("made.txt", "x"), Hang())
    files = STARTED if in_a_tool else ("made.txt",)
    got_there = when(*(seat.work / name for name in files), seat.ground / "session-1" / "out")
    came = await seat.session(model, vigils=got_there, sandbox_mode=SandboxMode.FULL, prompt="Say a fruit")
    assert came.by is EndedBy.CHECKPOINT
    assert came.outcome.failure is not None
    assert came.outcome.session_id is not None
    assert alive(seat.ground) == []
    again = await seat.session(
        script(Say("Still here")), prompt="Which?", resume=Earlier(came.outcome.session_id, came.outcome.usage)
    )
    assert again.outcome.failure is None, again.words
    assert "Say a fruit" in json.dumps(again.turns[0].body)


@pytest.mark.parametrize("kind", list(ALIASES))
async def test_an_unknown_session(kind: AgentKind, make_seat: MakeSeat) -> None:
    """It is told from other failures: the class is `setup`, and a fresh session may be tried (MERGE-4)."""
    came = await make_seat(kind).session(script(Say("Hello")), resume=Earlier(UNKNOWN[kind]))
    assert came.outcome.failure is not None
    assert came.outcome.failure.kind is FailureClass.SETUP, came.outcome.failure
    assert came.outcome.usage.output_tokens == 0
