"""Which agents there are (AGENT-1)."""

from __future__ import annotations

import pytest

from weft.agents.registry import AGENTS, agent_problems, make_agent, phase_problems, phase_warnings
from weft.model.phase import Phase, StepKind
from weft.model.plan import AgentKind, AgentSpec

PLAIN = Phase("exec", (StepKind.SESSION,), writes=True)


def test_every_kind_is_listed() -> None:
    """A kind that settings can name has an adapter (AGENT-1)."""
    assert set(AGENTS) == set(AgentKind)


@pytest.mark.parametrize("kind", list(AGENTS))
def test_every_kind_listed_can_be_made_and_checked(kind: AgentKind) -> None:
    """A line in the registry is a module that has what the others have (AGENT-1)."""
    agent = make_agent(kind)
    assert callable(agent.invocation)
    assert callable(agent.reader)
    assert agent_problems(AgentSpec("x", kind, argv=("",), script="no-such-file")) != []


@pytest.mark.parametrize("kind", list(AGENTS))
def test_a_plain_phase_is_no_trouble_for_any_agent(kind: AgentKind) -> None:
    """What the default pipeline asks for can be done by all of them, without a warning (AGENT-2)."""
    assert phase_problems(AgentSpec("x", kind), PLAIN) == []
    assert phase_warnings(AgentSpec("x", kind), PLAIN) == []
