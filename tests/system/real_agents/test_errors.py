"""What goes wrong between a real agent and its model has a class, and the agent's own words (AGENT-4, AGENT-10)."""

from __future__ import annotations

import time

import pytest
from tests.support.model_answers import Cut, Empty, Fail, Garbage, Hang, Reply, Say, failing_first, script
from tests.system.real_agents.conftest import MakeSeat
from tests.system.real_agents.seat import Seat

from weft.execution.attended import EndedBy
from weft.model.limits import LimitStatus
from weft.model.phase import FailureClass
from weft.model.plan import AgentKind

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]

CLAUDE, CODEX, GEMINI, OPENCODE = AgentKind.CLAUDE, AgentKind.CODEX, AgentKind.GEMINI, AgentKind.OPENCODE
THREE = [CLAUDE, CODEX, GEMINI]

FAILURES: list[tuple[str, Reply, FailureClass]] = [
    ("400", Fail(400, "the input is too long"), FailureClass.WORK),
    ("401", Fail(401, "key refused"), FailureClass.AUTH),
    ("429", Fail(429, "slow down"), FailureClass.RATE_LIMITED),
    ("500", Fail(500, "broken"), FailureClass.TRANSIENT),
    ("529", Fail(529, "overloaded"), FailureClass.TRANSIENT),
    ("cut", Cut(), FailureClass.TRANSIENT),
    ("garbage", Garbage(), FailureClass.TRANSIENT),
    ("empty", Empty(), FailureClass.BAD_OUTPUT),
]


@pytest.mark.parametrize("kind", THREE)
@pytest.mark.parametrize(("name", "reply", "expected"), FAILURES, ids=[name for name, *_ in FAILURES])
async def test_a_failing_model_is_a_failure_of_its_class(
    kind: AgentKind, name: str, reply: Reply, expected: FailureClass, make_seat: MakeSeat
) -> None:
    """Also where the agent ends with exit status 0; never a success, never a verdict."""
    came = await make_seat(kind).session(script(reply))
    assert came.by is EndedBy.ITSELF
    assert came.outcome.failure is not None
    assert came.outcome.failure.kind is expected
    assert came.words.strip()
    assert came.outcome.verdict is None


async def test_a_refused_key_ends_opencode(make_seat: MakeSeat) -> None:
    """It tries several times first (AGENT-4)."""
    came = await make_seat(OPENCODE).session(script(Fail(401, "key refused")))
    assert came.outcome.failure is not None
    assert (came.outcome.failure.kind, came.words) == (FailureClass.AUTH, "key refused")


@pytest.mark.parametrize("kind", [CLAUDE, CODEX])
async def test_retry_after_is_waited_for(kind: AgentKind, make_seat: MakeSeat) -> None:
    """A burst that passes is no failure; the agent itself waits as it is told."""
    busy = Fail(429, "slow down", headers=(("Retry-After", "1"),))
    came = await make_seat(kind).session(failing_first(1, busy, script(Say("at last"))))
    assert came.outcome.failure is None
    assert came.outcome.text == "at last"
    assert len(came.turns) == 2


@pytest.mark.parametrize("kind", [CLAUDE, CODEX, GEMINI, OPENCODE])
async def test_a_hang_is_ended_by_the_time_limit(kind: AgentKind, make_seat: MakeSeat) -> None:
    """Left alone they wait for minutes or for ever, so Weft's own limit is what ends them."""
    came = await make_seat(kind).session(script(Hang()), timeout=8)
    assert came.by is EndedBy.TIMEOUT
    assert came.outcome.failure is not None


async def test_a_used_up_claude_account_is_quota_with_its_reset(make_seat: MakeSeat) -> None:
    """By its event for rate limits, which accounts have and keys have not (AGENT-3)."""
    reset = int(time.time()) + 7200
    name = "anthropic-ratelimit-unified"
    headers = (
        (f"{name}-status", "rejected"),
        (f"{name}-reset", str(reset)),
        (f"{name}-representative-claim", "five_hour"),
    )
    seat = make_seat(CLAUDE)
    _with_account(seat)
    came = await seat.session(script(Fail(429, "used up", headers=headers)))
    assert came.outcome.failure is not None
    assert (came.outcome.failure.kind, came.outcome.failure.resets_at) == (FailureClass.QUOTA, reset)
    assert [(limit.status, limit.window, limit.resets_at) for limit in came.outcome.limits] == [
        (LimitStatus.REJECTED, "five_hour", reset)
    ]


def _with_account(seat: Seat) -> None:
    """A login instead of a key."""
    plain = seat.environment

    def environment(address: str) -> dict[str, str]:
        found = plain(address)
        del found["ANTHROPIC_API_KEY"]
        return found | {"CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-made-up"}

    seat.environment = environment  # type: ignore[method-assign]


async def test_a_used_up_codex_account_is_quota_with_its_reset(make_seat: MakeSeat) -> None:
    """It tells the time of day in words (AGENT-3)."""
    reset = int(time.time()) + 7200
    failure = Fail(429, "used up", "usage_limit_reached", more=(("plan_type", "pro"), ("resets_at", reset)))
    came = await make_seat(CODEX).session(script(failure))
    assert came.outcome.failure is not None
    assert came.outcome.failure.kind is FailureClass.QUOTA
    assert came.outcome.failure.resets_at is not None
    assert 0 <= reset - came.outcome.failure.resets_at < 120


async def test_a_used_up_gemini_account_is_quota_with_its_reset(make_seat: MakeSeat) -> None:
    """It tells how long in words (AGENT-3)."""
    words = "You have exhausted your capacity on this model. Your quota will reset after 2h0m5s."
    reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "QUOTA_EXHAUSTED", "domain": "made-up"}
    before = time.time()
    came = await make_seat(GEMINI).session(script(Fail(429, words, more=(("details", [reason]),))))
    assert came.outcome.failure is not None
    assert came.outcome.failure.kind is FailureClass.QUOTA
    assert came.outcome.failure.resets_at is not None
    assert came.outcome.failure.resets_at >= before + 7205
