"""The common options, as each real agent takes them (AGENT-2)."""

from __future__ import annotations

import asyncio
import json

import msgspec
import pytest
from tests.git_repo import GitRepo
from tests.support.model_answers import Answer, Say, Shell, Write, script
from tests.system.real_agents.conftest import MakeSeat
from tests.system.real_agents.seat import Seat, reviewing, writing

from weft.agents.options import ALIASES
from weft.model.outcome import Verdict
from weft.model.phase import ApprovalMode, FailureClass, SandboxMode
from weft.model.plan import AgentKind
from weft.ports import Earlier, SessionRequest

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]

CLAUDE, CODEX, GEMINI, OPENCODE = AgentKind.CLAUDE, AgentKind.CODEX, AgentKind.GEMINI, AgentKind.OPENCODE
ALL = list(ALIASES)


def repo_of(seat: Seat) -> GitRepo:
    """The seat's folder as a repo with something to see."""
    seat.work.rmdir()
    repo = GitRepo(seat.work, seat.ground / "home")
    repo.write("a.txt", "one\n")
    repo.commit("one")
    repo.write("a.txt", "two\n")
    return repo


@pytest.mark.parametrize("kind", ALL)
async def test_a_review_reads_and_does_not_write(kind: AgentKind, make_seat: MakeSeat) -> None:
    """Where nothing may be changed, `git diff` still runs; its verdict is a structured one (RUN-8)."""
    seat = make_seat(kind)
    repo_of(seat)
    verdict = Answer({"approved": False, "findings": ["a.txt:1: should be one"]})
    came = await seat.session(
        script(
            Shell("git diff --no-ext-diff"), Write("made.txt", "no"), Shell("touch touched.txt"), verdict, Say("said")
        ),
        phase=reviewing(sandbox_mode=SandboxMode.READ_ONLY),
    )
    assert came.outcome.failure is None
    assert came.outcome.verdict == Verdict(False, ("a.txt:1: should be one",))
    assert not (seat.work / "made.txt").exists()
    assert not (seat.work / "touched.txt").exists()
    assert "+two" in json.dumps(came.turns[1].body)


@pytest.mark.parametrize("kind", [CLAUDE, GEMINI, OPENCODE])
async def test_what_would_be_asked_for_is_refused_when_nobody_is_there(kind: AgentKind, make_seat: MakeSeat) -> None:
    """`approval_mode = "always"` in a session without a person; the refusal is told, not hidden (AGENT-2)."""
    seat = make_seat(kind)
    came = await seat.session(script(Write("made.txt", "no"), Say("could not")), approval_mode=ApprovalMode.ALWAYS)
    assert not (seat.work / "made.txt").exists()
    assert came.outcome.failure is None
    assert came.outcome.denied


@pytest.mark.parametrize("kind", [CLAUDE, CODEX, GEMINI])
async def test_a_session_is_resumed(kind: AgentKind, make_seat: MakeSeat) -> None:
    """The model sees what was said before, and the second run's usage is its own (AGENT-2, AGENT-5)."""
    seat = make_seat(kind)
    first = (await seat.session(script(Say("I say apple")), prompt="Say a fruit")).outcome
    assert first.session_id is not None
    second = await seat.session(
        script(Write("made.txt", "x"), Say("Still here")),
        prompt="Which one was it?",
        resume=Earlier(first.session_id, first.usage),
    )
    assert second.outcome.failure is None
    assert "I say apple" in json.dumps(second.turns[0].body)
    assert second.outcome.usage.output_tokens == 2 * first.usage.output_tokens
    assert (seat.work / "made.txt").exists()
    assert second.outcome.session_id == first.session_id


async def test_opencode_is_resumed(make_seat: MakeSeat) -> None:
    """By its session's id, as the others (AGENT-2)."""
    seat = make_seat(OPENCODE)
    first = (await seat.session(script(Say("I say apple")), prompt="Say a fruit")).outcome
    assert first.session_id is not None
    second = await seat.session(script(Say("Still here")), prompt="Which?", resume=Earlier(first.session_id))
    assert second.outcome.failure is None
    assert "I say apple" in json.dumps(second.turns[0].body)


@pytest.mark.parametrize("kind", [CLAUDE, GEMINI])
async def test_turns_are_limited(kind: AgentKind, make_seat: MakeSeat) -> None:
    """A model that goes on for ever is stopped, and that is a failure of the work (AGENT-2, AGENT-4)."""
    seat = make_seat(kind)
    came = await seat.session(lambda turn: Shell(f"echo {turn.number}"), max_turns=2)
    assert came.outcome.failure is not None
    assert came.outcome.failure.kind is FailureClass.WORK
    assert "turns" in came.words
    assert len(came.turns) in (2, 3)


async def test_opencode_is_told_to_end_after_so_many_turns(make_seat: MakeSeat) -> None:
    """It takes the model's tools away, which a model then obeys (AGENT-2)."""
    model = lambda turn: Shell(f"echo {turn.number}") if turn.number <= 2 else Say("ended")  # noqa: E731
    came = await make_seat(OPENCODE).session(model, max_turns=3)
    assert came.outcome.failure is None
    assert "maximum" in json.dumps(came.turns[2].body).lower()


@pytest.mark.parametrize("kind", ALL)
async def test_a_system_prompt_reaches_the_model(kind: AgentKind, make_seat: MakeSeat) -> None:
    """Besides the agent's own instructions (AGENT-2)."""
    came = await make_seat(kind).session(script(Say("Aye")), system_prompt='Talk like a "pirate"\nalways 🏴')
    assert came.outcome.failure is None
    assert 'Talk like a "pirate"\nalways 🏴' in _texts(came.turns[0].body)


def _texts(found: object) -> str:
    """Every text in a request, as the model sees it."""
    if isinstance(found, str):
        return found
    if isinstance(found, dict):
        found = list(found.values())
    return "\n".join(map(_texts, found)) if isinstance(found, list) else ""


async def test_answers_of_claude_are_limited(make_seat: MakeSeat) -> None:
    """`max_tokens` is in what it asks its model for (AGENT-2)."""
    came = await make_seat(CLAUDE).session(script(Say("Aye")), max_tokens=1234)
    assert came.turns[0].body["max_tokens"] == 1234


@pytest.mark.parametrize(("kind", "model"), [(CLAUDE, "sonnet"), (GEMINI, "flash"), (CODEX, "sol")])
async def test_an_alias_becomes_a_model_of_the_agent(kind: AgentKind, model: str, make_seat: MakeSeat) -> None:
    """`balanced` is a name that no provider knows (AGENT-2)."""
    seat = make_seat(kind)
    address = seat.server.serve(script(Say("Aye")))
    request = seat.request(address, "Hello", writing(model="balanced"))
    came = await seat.run(request, address, 60, asyncio.Event())
    assert came.outcome.failure is None
    assert "balanced" not in json.dumps(came.turns[0].body.get("model", ""))
    assert model in came.turns[0].body.get("model", "flash")


@pytest.mark.parametrize("kind", ALL)
async def test_a_prompt_of_a_megabyte_arrives_whole(kind: AgentKind, make_seat: MakeSeat) -> None:
    """Through stdin, where arguments would not hold it (TASK-14)."""
    prompt = "".join(f"line {number} of a long prompt\n" for number in range(36_500))
    came = await make_seat(kind).session(script(Say("Long")), prompt=prompt)
    assert came.outcome.failure is None
    assert "line 36499 of a long prompt" in came.turns[0].prompt
    assert len(came.turns[0].prompt) > 1_000_000


@pytest.mark.parametrize("kind", ALL)
async def test_two_megabytes_of_output_do_not_lose_the_end(kind: AgentKind, make_seat: MakeSeat) -> None:
    """On a pipe some lose their last event, with exit status 0; Weft gives them a file (AGENT-3)."""
    big = Shell("head -c 2000000 /dev/zero | tr '\\0' x")
    came = await make_seat(kind).session(script(big, Say("big")))
    assert came.outcome.failure is None
    assert came.outcome.text == "big"


@pytest.mark.parametrize("kind", ALL)
async def test_an_answer_of_two_megabytes_is_read(kind: AgentKind, make_seat: MakeSeat) -> None:
    """The end of it is kept (AGENT-3)."""
    text = "".join(f"{number} is a number\n" for number in range(100_000)) + "the end"
    came = await make_seat(kind).session(script(Say(text)))
    assert came.outcome.failure is None
    assert came.outcome.text.endswith("the end")


@pytest.mark.parametrize("kind", ALL)
async def test_the_environment_holds_no_token_of_wefts(kind: AgentKind, make_seat: MakeSeat) -> None:
    """Not even in what its tools are given (AGENT-7)."""
    seat = make_seat(kind)
    plain = seat.environment
    tokens = {"GITHUB_TOKEN": "ghp_secret", "GH_TOKEN": "ghp_secret", "OTHER": "other"}
    seat.environment = lambda address: plain(address) | tokens  # type: ignore[method-assign]
    await seat.session(script(Shell("env > seen.txt"), Say("done")))
    seen = (seat.work / "seen.txt").read_text()
    assert "WEFT_ATTEMPT=" in seen
    assert "ghp_secret" not in seen
    assert "OTHER=" not in seen


def _another_job(request: SessionRequest) -> SessionRequest:
    assert request.folder is not None
    request.folder.mkdir()
    return msgspec.structs.replace(request, folder=request.folder / "exec-1.agent")


@pytest.mark.parametrize("kind", ALL)
async def test_several_at_once_share_a_users_folder(kind: AgentKind, make_seat: MakeSeat) -> None:
    """Four sessions with one configuration folder (AGENT-8)."""
    seat = make_seat(kind)
    address = seat.server.serve(script(Shell("true"), Say("done")))
    requests = [_another_job(seat.request(address, "Do it", writing())) for _ in range(4)]
    came = await asyncio.gather(*(seat.run(one, address, 100, asyncio.Event()) for one in requests))
    assert [one.outcome.failure for one in came] == [None] * 4
    assert len({one.outcome.session_id for one in came}) == 4
