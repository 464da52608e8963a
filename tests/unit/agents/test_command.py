"""Any program is an agent (AGENT-1)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from weft.agents.command import CommandAgent, validate
from weft.errors import ProcessError
from weft.model.plan import AgentKind, AgentSpec, PromptVia
from weft.ports import SessionRequest

MakeRequest = Callable[..., SessionRequest]


def test_placeholders_are_filled_in(make_request: MakeRequest) -> None:
    """Each argument by itself, also inside a longer one; no shell sees them (SEC-2)."""
    request = make_request(
        argv=("./a.sh", "{phase}", "--job={job}", "{run}", "{attempt}", "[{model}]", "{workdir}", "{prompt_file}")
    )
    assert CommandAgent().invocation(request).argv == (
        "./a.sh",
        "exec",
        "--job=shop#101",
        "r-1",
        "r-1/shop#101/exec/2",
        "[]",
        str(request.workdir),
        str(request.prompt_file),
    )


def test_braces_that_are_no_placeholder_stay(make_request: MakeRequest) -> None:
    """The shell's variables, JSON, and `{{print}}` for `{print}`."""
    request = make_request(argv=("sh", "-c", 'echo ${home} {"a": {"b": 1}} {} {{print}} {A}'))
    assert CommandAgent().invocation(request).argv[2] == 'echo ${home} {"a": {"b": 1}} {} {print} {A}'
    assert validate(request.agent) == []


@pytest.mark.parametrize(
    ("via", "stdin", "last"),
    [
        (PromptVia.STDIN, True, "./agent.sh"),
        (PromptVia.FILE, False, "./agent.sh"),
        (PromptVia.ARG, False, "Do {phase}\n"),
    ],
)
def test_three_ways_to_hand_over_the_prompt(make_request: MakeRequest, via: PromptVia, stdin: bool, last: str) -> None:
    """stdin is a file that ends, or nothing; a prompt as argument is the last one, as it is."""
    request = make_request(text="Do {phase}\n", prompt=via)
    invocation = CommandAgent().invocation(request)
    assert invocation.stdin == (request.prompt_file if stdin else None)
    assert invocation.argv[-1] == last


def test_a_prompt_too_long_for_an_argument_says_what_to_do(make_request: MakeRequest) -> None:
    """The kernel's refusal would name neither agent nor setting."""
    with pytest.raises(ProcessError, match="more than fit in an argument") as caught:
        CommandAgent().invocation(make_request(text="x" * 200_000, prompt=PromptVia.ARG))
    assert caught.value.hint is not None
    assert "[agents.mine]" in caught.value.hint


def test_the_model_of_the_phase_comes_before_the_agents(make_request: MakeRequest) -> None:
    """Settings of a phase are closer than those of the agent."""
    request = make_request(argv=("a", "{model}"), model="balanced")
    assert CommandAgent().invocation(request).argv[1] == "balanced"


def problems(*argv: str, **more: object) -> list[str]:
    return validate(AgentSpec("mine", AgentKind.COMMAND, argv, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (problems(), "`argv` must name a program"),
        (problems(" "), "`argv` must name a program"),
        (
            problems("a", "{jbo}"),
            "`argv` holds `{jbo}`: unknown placeholder `{jbo}`; did you mean `job`? Known: `phase`",
        ),
        (problems("a\0"), "NUL"),
        (problems("a", env=("A-B",)), "`env` holds `A-B`: not the name of a variable"),
        (problems("a", env=("GH_TOKEN",)), "`env` names `GH_TOKEN`, which agents never get"),
        (problems("a", script="s.toml"), "`script` means nothing"),
    ],
)
def test_wrong_settings_are_said_before_anything_starts(found: list[str], message: str) -> None:
    """With the value and what is likely meant (AGENT-2)."""
    assert len(found) == 1
    assert message in found[0]


def test_all_problems_come_at_once() -> None:
    """One check finds every mistake."""
    assert len(problems("{x}", "{y}", env=("GH_TOKEN",))) == 3
