"""Every recorded session of a real agent comes to what a person found it to be (AGENT-3 to AGENT-5, AGENT-10)."""

from __future__ import annotations

import pytest
from tests.support.transcripts import Recorded, expected, recorded

from weft.agents.failures import classify
from weft.model.phase import FailureClass
from weft.model.usage import Usage
from weft.ports import Earlier

ALL = recorded()
EXPECTED = expected()
WRITTEN_BY_TOOLS = {"hello.txt", "shell_made.txt", "a.txt", "b.txt"}


def exit_status(session: Recorded) -> int:
    meta = session.meta
    status: int = meta["exit_status"] if meta else EXPECTED[session.name]["exit"]
    return status


def test_every_recorded_session_has_its_row() -> None:
    """One that nobody looked at proves nothing, and a row without its session is a leftover."""
    assert {session.name for session in ALL} == set(EXPECTED)
    assert len(ALL) > 290


@pytest.mark.parametrize("session", ALL, ids=lambda session: session.name)
def test_the_outcome_is_what_the_table_says(session: Recorded) -> None:
    """Success or the class of failure, with words for people; success only with exit status 0 (AGENT-4)."""
    row = EXPECTED[session.name]
    outcome = session.outcome(exit_status(session))
    came_to = "ok" if outcome.failure is None else outcome.failure.kind.value
    assert came_to == row["is"], outcome.failure
    assert outcome.denied == tuple(row.get("denied", ()))
    assert outcome.exit_status == exit_status(session)
    assert outcome.failure is None or outcome.failure.message.strip()
    assert outcome.failure is not None or exit_status(session) == 0


@pytest.mark.parametrize("session", ALL, ids=lambda session: session.name)
def test_what_was_made_and_what_came_of_it_agree(session: Recorded) -> None:
    """A session that left files behind says so in its events; one that succeeded has an id to resume it by."""
    outcome = session.outcome(exit_status(session))
    made = set(session.meta["files"]) if session.meta else set()
    if outcome.failure is None:
        assert outcome.session_id
        assert outcome.usage.sessions == 1
        assert outcome.usage.input_tokens > 0
    if made & WRITTEN_BY_TOOLS and outcome.failure is None:
        assert any(word in session.stdout for word in (b"tool_use", b"command_execution", b"file_change"))


@pytest.mark.parametrize("session", ALL, ids=lambda session: session.name)
def test_no_success_with_another_exit_status(session: Recorded) -> None:
    """However well the events read, a process that ended badly did not succeed (AGENT-4)."""
    assert all(session.outcome(status).failure is not None for status in (1, -9, -15, 143))


@pytest.mark.parametrize("session", [one for one in ALL if EXPECTED[one.name]["is"] == "ok"], ids=lambda one: one.name)
def test_no_success_without_the_last_word(session: Recorded) -> None:
    """Cut off before its last event, an exit status of 0 is no success: output got lost that way (AGENT-4)."""
    lines = session.stdout.rstrip(b"\n").split(b"\n")
    cut = CutOff(session.cli, session.scenario, b"\n".join(lines[:-1]))
    failure = cut.outcome(0).failure
    assert failure is not None
    assert failure.kind is FailureClass.BAD_OUTPUT


class CutOff(Recorded):
    """A recorded session of which only the beginning arrived."""

    def __new__(cls, cli: str, scenario: str, stdout: bytes) -> CutOff:
        made = super().__new__(cls, cli, scenario)
        made._stdout = stdout  # type: ignore[attr-defined]
        return made

    @property
    def stdout(self) -> bytes:
        found: bytes = self._stdout  # type: ignore[attr-defined]
        return found


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("claude/err401", "Invalid API key · Fix external API key"),
        ("claude/max_turns3", "Reached maximum number of turns (3)"),
        ("claude/no_key", "Not logged in · Please run /login"),
        ("claude/bogus_flag", "error: unknown option '--bogus-flag'"),
        ("claude/sig_SIGTERM_pid", "was killed by SIGTERM"),
        ("codex/err400", "Your input exceeds the context window of this model"),
        ("codex/ssererr", "Selected model is at capacity. Please try a different model."),
        ("codex/nokey", "Missing environment variable: `FAKE_KEY`."),
        ("gemini/bogus_flag", "Unknown argument: bogus"),
        ("gemini/ssererr", "Model stream ended without a finish reason."),
        ("gemini/loop_nolimit", "Loop detected, stopping execution"),
        ("opencode/err401", "fake error 401"),
    ],
)
def test_failures_have_the_agents_own_words(name: str, words: str) -> None:
    """Not a paraphrase, nor what surrounds it (AGENT-4)."""
    session = Recorded(*name.split("/"))
    failure = session.outcome(exit_status(session)).failure
    assert failure is not None
    assert failure.message == words


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        ("claude/text", Usage(1234, 56, 100, 0.006076, 1)),
        ("claude/write_acceptEdits", Usage(2468, 112, 200, 0.012152, 1)),
        ("claude/stream_input", Usage(2468, 112, 200, 0.012152, 1)),
        ("claude/hang_SIGTERM", Usage(sessions=1)),
        ("codex/text", Usage(1134, 56, 100, None, 1)),
        ("codex/directive", Usage(3402, 168, 300, None, 1)),
        ("gemini/directive", Usage(3402, 189, 300, None, 1)),
        ("opencode/text", Usage(1234, 56, 0, None, 1)),
        ("opencode/write", Usage(3702, 168, 0, None, 1)),
    ],
)
def test_usage_counts_each_message_once(name: str, usage: Usage) -> None:
    """Cached tokens apart, thoughts among the output, a cost nobody told unknown (AGENT-5)."""
    session = Recorded(*name.split("/"))
    found = session.outcome(exit_status(session)).usage
    assert found.cost_usd == (None if usage.cost_usd is None else pytest.approx(usage.cost_usd))
    assert (found.input_tokens, found.output_tokens, found.cached_tokens, found.sessions) == (
        usage.input_tokens,
        usage.output_tokens,
        usage.cached_tokens,
        1,
    )


def test_a_resumed_claude_session_costs_what_this_run_did() -> None:
    """Its `total_cost_usd` goes on counting over resumes (AGENT-5)."""
    first, second = Recorded("claude", "resume_first").outcome(0), Recorded("claude", "resume_second")
    assert first.session_id is not None
    resumed = second.outcome(0, resume=Earlier(first.session_id, first.usage))
    assert resumed.usage == first.usage
    assert resumed.session_id == first.session_id


def test_a_resumed_codex_thread_costs_what_this_run_did() -> None:
    """Its usage goes on counting over the thread (AGENT-5)."""
    first, second = Recorded("codex", "resume_first").outcome(0), Recorded("codex", "resume_second")
    assert first.session_id is not None
    resumed = second.outcome(0, resume=Earlier(first.session_id, first.usage))
    assert resumed.session_id == first.session_id
    assert resumed.usage == first.usage


def test_statuses_of_the_recorded_errors_have_one_class_each() -> None:
    """Whatever the agent says around it, the same answer of the server is the same class (AGENT-4)."""
    for status, kind in ((401, "auth"), (403, "auth"), (429, "rate-limited"), (500, "transient"), (529, "transient")):
        rows = {EXPECTED[f"{cli}/err{status}"]["is"] for cli in ("claude", "codex", "gemini")}
        assert rows == {kind}
        assert classify(status, "").value == kind
