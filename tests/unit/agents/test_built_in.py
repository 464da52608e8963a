"""What all built-in agents have in common (AGENT-2, AGENT-7, TASK-14)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.agents.built_in import HERE, KINDS, ask, pairs, phase

from weft.agents.options import ALIASES, Reach, reach_of
from weft.agents.registry import agent_problems, make_agent, phase_problems, phase_warnings
from weft.model.phase import ApprovalMode, SandboxMode
from weft.model.plan import AgentKind, AgentSpec
from weft.ports import Earlier

MODEL_FLAGS = {AgentKind.CLAUDE: "--model", AgentKind.CODEX: "-m", AgentKind.GEMINI: "-m", AgentKind.OPENCODE: "-m"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_prompt_is_not_an_argument(kind: AgentKind) -> None:
    """It comes through a file on stdin, so length and a leading `-` do not matter (TASK-14)."""
    invocation = make_agent(kind).invocation(ask(kind))
    assert invocation.stdin == HERE / "prompt.md"
    assert "Do it" not in invocation.argv


@pytest.mark.parametrize("kind", KINDS)
def test_the_environment_is_an_allow_list(kind: AgentKind) -> None:
    """Its own keys, what settings name, never Weft's tokens, not even where settings name them (AGENT-7)."""
    keys = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "GEMINI_API_KEY": "g"}
    given = {**keys, "PATH": "/bin", "GITHUB_TOKEN": "t", "GH_TOKEN": "t", "OTHER": "x", "MINE": "m", "WEFT_HOME": "/w"}
    spec: dict[str, object] = {"env": ("MINE", "GITHUB_TOKEN")}
    seen = make_agent(kind).invocation(ask(kind, environment=given, spec=spec)).environment
    assert (seen["PATH"], seen["MINE"], seen["WEFT_JOB"]) == ("/bin", "m", "shop#1")
    assert not {"GITHUB_TOKEN", "GH_TOKEN", "OTHER", "WEFT_HOME"} & set(seen)
    own = {
        AgentKind.CLAUDE: {"ANTHROPIC_API_KEY"},
        AgentKind.CODEX: {"OPENAI_API_KEY"},
        AgentKind.GEMINI: {"GEMINI_API_KEY"},
        AgentKind.OPENCODE: set(keys),
    }[kind]
    assert set(keys) & set(seen) == own


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_of_the_phase_comes_before_the_agents(kind: AgentKind) -> None:
    """As it is written, where it is no alias (AGENT-2)."""
    agent = make_agent(kind)
    spec: dict[str, object] = {"model": "of-the-agent"}
    assert (MODEL_FLAGS[kind], "of-the-agent") in pairs(agent.invocation(ask(kind, spec=spec)).argv)
    both = agent.invocation(ask(kind, spec=spec, model="of-the-phase")).argv
    assert (MODEL_FLAGS[kind], "of-the-phase") in pairs(both)
    assert MODEL_FLAGS[kind] not in agent.invocation(ask(kind)).argv


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not AgentKind.OPENCODE])
@pytest.mark.parametrize("alias", ["fast", "balanced", "best"])
def test_aliases_become_the_agents_own_names(kind: AgentKind, alias: str) -> None:
    """One table holds them; all three are there and differ (AGENT-2)."""
    argv = make_agent(kind).invocation(ask(kind, model=alias)).argv
    assert (MODEL_FLAGS[kind], ALIASES[kind][alias]) in pairs(argv)
    assert alias not in argv
    assert len(set(ALIASES[kind].values())) == 3


@pytest.mark.parametrize("alias", ["fast", "balanced", "best"])
def test_opencode_has_no_aliases_and_says_so(alias: str) -> None:
    """It serves many providers, so a name would be a guess (AGENT-2)."""
    spec = AgentSpec("opencode", AgentKind.OPENCODE, model=alias)
    assert "OpenCode serves many providers" in agent_problems(spec)[0]
    plain = AgentSpec("opencode", AgentKind.OPENCODE)
    assert "OpenCode serves many providers" in phase_problems(plain, phase(model=alias))[0]


@pytest.mark.parametrize("kind", KINDS)
def test_further_arguments_and_another_program(kind: AgentKind) -> None:
    """`args` are passed on, `argv` names what is called (AGENT-2)."""
    spec: dict[str, object] = {"argv": ("/opt/own-agent", "--first"), "args": ("--further", "x")}
    argv = make_agent(kind).invocation(ask(kind, spec=spec)).argv
    assert argv[:2] == ("/opt/own-agent", "--first")
    assert ("--further", "x") in pairs(argv)


@pytest.mark.parametrize("kind", KINDS)
def test_a_session_to_resume_is_named(kind: AgentKind) -> None:
    """By its id (AGENT-2)."""
    argv = make_agent(kind).invocation(ask(kind, resume=Earlier("session-7"))).argv
    assert "session-7" in argv
    assert "session-7" not in make_agent(kind).invocation(ask(kind)).argv


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_settings_are_told(kind: AgentKind) -> None:
    """All at once, before anything starts (AGENT-2, AGENT-7)."""
    spec = AgentSpec("x", kind, argv=(" ",), args=("a\0b",), env=("GITHUB_TOKEN", "A B"), script="s.toml")
    problems = "\n".join(agent_problems(spec))
    for word in ("argv", "NUL", "GITHUB_TOKEN", "A B", "script"):
        assert word in problems


@pytest.mark.parametrize(
    ("options", "reach"),
    [
        ({}, Reach.WORKSPACE),
        ({"writes": False}, Reach.READ),
        ({"writes": False, "approval_mode": ApprovalMode.AUTO}, Reach.WORKSPACE),
        ({"writes": False, "approval_mode": ApprovalMode.ALWAYS}, Reach.READ),
        ({"sandbox_mode": SandboxMode.READ_ONLY, "approval_mode": ApprovalMode.AUTO}, Reach.READ),
        ({"sandbox_mode": SandboxMode.FULL, "writes": False}, Reach.FULL),
    ],
)
def test_how_far_a_session_may_go(options: dict[str, object], reach: Reach) -> None:
    """A sandbox that is asked for counts before all else (AGENT-2)."""
    assert reach_of(phase(**options)) is reach


CANNOT = {
    (AgentKind.CODEX, "max_turns"),
    (AgentKind.CODEX, "max_tokens"),
    (AgentKind.GEMINI, "max_tokens"),
    (AgentKind.OPENCODE, "max_tokens"),
    (AgentKind.COMMAND, "max_turns"),
    (AgentKind.COMMAND, "max_tokens"),
    (AgentKind.COMMAND, "system_prompt"),
    (AgentKind.SCRIPTED, "max_turns"),
    (AgentKind.SCRIPTED, "max_tokens"),
    (AgentKind.SCRIPTED, "system_prompt"),
}


@pytest.mark.parametrize("kind", list(AgentKind))
@pytest.mark.parametrize(("name", "value"), [("max_turns", 3), ("max_tokens", 100), ("system_prompt", "Be kind")])
def test_an_option_has_its_effect_or_a_warning(kind: AgentKind, name: str, value: Any) -> None:
    """Never dropped in silence (AGENT-2)."""
    warnings = phase_warnings(AgentSpec("x", kind), phase(**{name: value}))
    assert [f"`{name}` has no effect" in warning for warning in warnings] == ([True] if (kind, name) in CANNOT else [])
    if kind in KINDS and (kind, name) not in CANNOT:
        told = make_agent(kind).invocation(ask(kind, **{name: value}, folder=HERE / "exec-1.agent"))
        everything = [*told.argv, *told.environment.values(), *told.files.values()]
        assert any(str(value) in one for one in everything)


@pytest.mark.parametrize("kind", [AgentKind.GEMINI, AgentKind.OPENCODE])
def test_a_sandbox_that_is_none_is_told(kind: AgentKind) -> None:
    """Files stay in the workspace, commands do not (AGENT-2)."""
    warnings = phase_warnings(AgentSpec("x", kind), phase(sandbox_mode=SandboxMode.WORKSPACE))
    assert "commands are not held there" in warnings[0]


@pytest.mark.parametrize("kind", [AgentKind.CLAUDE, AgentKind.CODEX])
def test_a_system_prompt_that_does_not_fit_is_refused(kind: AgentKind) -> None:
    """It is an argument there, and arguments have a limit (AGENT-2)."""
    assert "more than fit" in phase_problems(AgentSpec("x", kind), phase(system_prompt="x" * 200_000))[0]
