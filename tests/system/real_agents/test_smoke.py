"""One session of each real agent: it does as its model says, and Weft knows what came of it (AGENT-10)."""

from __future__ import annotations

import pytest
from tests.support.model_answers import Say, Shell, Write, script
from tests.support.model_protocols import INPUT
from tests.system.real_agents.conftest import MakeSeat

from weft.agents.options import ALIASES
from weft.model.plan import AgentKind

pytestmark = pytest.mark.timeout(900)  # the first one installs them


@pytest.mark.parametrize("kind", list(ALIASES))
async def test_files_are_written_and_the_answer_is_read(kind: AgentKind, make_seat: MakeSeat) -> None:
    """A tool that writes, a command, an answer; usage of all three questions, an id to resume by (AGENT-3, AGENT-5)."""
    seat = make_seat(kind)
    prompt = '- A prompt that begins like an option, with "quotes" and ünïcode'
    came = await seat.session(
        script(Write("made.txt", "hello\n"), Shell("cat made.txt > copy.txt"), Say("All done")), prompt=prompt
    )
    assert came.outcome.failure is None
    assert (seat.work / "made.txt").read_text() == "hello\n"
    assert (seat.work / "copy.txt").read_text() == "hello\n"
    assert came.outcome.text == "All done"
    assert came.outcome.session_id
    assert came.outcome.usage.input_tokens + came.outcome.usage.cached_tokens >= 3 * INPUT
    assert came.outcome.denied == ()
    assert prompt in came.turns[0].prompt
    assert seat.server.strangers == []
