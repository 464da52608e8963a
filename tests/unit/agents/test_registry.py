"""Which agents there are (AGENT-1)."""

from __future__ import annotations

import pytest

from weft.agents.registry import AGENTS, agent_problems, make_agent
from weft.errors import UsageError
from weft.model.plan import AgentKind, AgentSpec


@pytest.mark.parametrize("kind", list(AGENTS))
def test_every_kind_listed_can_be_made_and_checked(kind: AgentKind) -> None:
    """A line in the registry is a module that has what the others have (AGENT-1)."""
    agent = make_agent(kind)
    assert callable(agent.invocation)
    assert callable(agent.reader)
    assert agent_problems(AgentSpec("x", kind)) != []


@pytest.mark.parametrize("kind", [kind for kind in AgentKind if kind not in AGENTS])
def test_a_kind_that_is_not_there_yet_says_so(kind: AgentKind) -> None:
    """Never a traceback, and what there is instead (AGENT-1)."""
    with pytest.raises(UsageError, match=f"agent kind `{kind.value}` is not available in this version"):
        make_agent(kind)
    assert "is not available" in agent_problems(AgentSpec("x", kind))[0]
