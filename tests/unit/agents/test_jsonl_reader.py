"""Agents that print event lines are judged by them (AGENT-4)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.agents.jsonl_reader import JsonlReader
from weft.agents.recent_text import LONGEST_ANSWER
from weft.model.outcome import Failure, SessionOutcome, Verdict
from weft.model.phase import FailureClass, Phase, StepKind
from weft.model.usage import Usage

WORK = Phase("exec", (StepKind.SESSION,))
REVIEW = Phase("qa", (StepKind.SESSION,), verdict=True)
OK = {"type": "result", "ok": True, "text": "done"}
YES = {"type": "verdict", "approved": True}
NO = {"type": "verdict", "approved": False, "findings": ["a.py:1: wrong"]}
REJECTED = {"type": "rate_limit", "status": "rejected", "resets_at": 1799999999}


def read(*said: object, status: int = 0, phase: Phase = WORK) -> SessionOutcome:
    """The outcome after these lines: JSON values, or bytes as they are."""
    reader = JsonlReader(phase)
    printed = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in said]
    for line in printed:
        reader.feed(line)
    return reader.outcome(status, b"\n".join(printed).decode("utf-8", "replace"))


def failure(*said: object, status: int = 0, phase: Phase = WORK) -> Failure:
    found = read(*said, status=status, phase=phase).failure
    assert found is not None
    return found


def test_success() -> None:
    """The result's text is what later phases see (RUN-7)."""
    found = read({"type": "started", "session_id": "s-1"}, {"type": "message", "text": "hm"}, OK)
    assert (found.failure, found.text, found.session_id, found.exit_status) == (None, "done", "s-1", 0)


def test_without_a_result_line_the_exit_status_decides() -> None:
    """The lines are an offer, not a duty; messages are the text then."""
    found = read({"type": "message", "text": "one"}, {"type": "message", "text": "two"})
    assert (found.failure, found.text) == (None, "one\ntwo")


def test_usage_adds_up_and_an_unknown_cost_stays_unknown() -> None:
    """Each line once, cached tokens apart; a cost nobody told is not zero (AGENT-5)."""
    first = {"type": "usage", "input_tokens": 10, "output_tokens": 2, "cost_usd": 0.5}
    second = {"type": "usage", "input_tokens": 5, "cached_tokens": 3, "cost_usd": 0.25}
    assert read(first, second).usage == Usage(15, 2, 3, 0.75, 1)
    assert read(first, {"type": "usage", "input_tokens": 1}).usage.cost_usd is None
    assert read().usage == Usage(sessions=1)


def test_a_result_marked_as_error_is_a_failure_with_exit_status_0() -> None:
    """In the agent's own words and class (AGENT-4)."""
    assert failure({"type": "result", "ok": False, "text": "cannot"}) == Failure(FailureClass.WORK, "cannot")
    assert failure({"type": "result", "ok": False, "text": "log in", "class": "auth"}).kind is FailureClass.AUTH


def test_a_good_result_does_not_mend_a_bad_exit() -> None:
    """Both must be right (AGENT-4)."""
    assert failure(OK, b"Traceback: boom", status=1) == Failure(FailureClass.WORK, "Traceback: boom")
    assert failure(OK, status=75).kind is FailureClass.TRANSIENT
    assert failure(OK, status=-9).kind is FailureClass.KILLED


def test_what_went_wrong_is_often_said_on_stderr_alone() -> None:
    """The message is what people can read in the tail, not an earlier message nor half an event line (AGENT-4)."""
    reader = JsonlReader(WORK)
    reader.feed(b'{"type":"message","text":"working"}')
    tail = 'cut in the middle"}\n{"type":"message","text":"working"}\nValueError: boom\n'
    found = reader.outcome(1, tail).failure
    assert found == Failure(FailureClass.WORK, "ValueError: boom")


def test_a_result_that_cannot_be_read_is_not_taken_for_a_yes() -> None:
    """Unknown counts as unknown (AGENT-4); a valid one after it counts."""
    bad = {"type": "result", "ok": "yes"}
    assert failure(bad).kind is FailureClass.BAD_OUTPUT
    assert "`result` line could not be read" in failure(bad).message
    assert read(bad, OK).failure is None
    assert failure(bad, b"boom", status=3) == Failure(FailureClass.WORK, "boom")


def test_a_failure_after_a_rejected_rate_limit_is_due_to_it() -> None:
    """With the time it passes at, a quota; without, a burst (AGENT-4)."""
    assert failure(REJECTED, b"429", status=1) == Failure(FailureClass.QUOTA, "429", 1799999999.0)
    assert failure(REJECTED, {"type": "result", "ok": False, "text": "429"}).resets_at == 1799999999.0
    burst = {"type": "rate_limit", "status": "rejected"}
    assert failure(burst, status=75).kind is FailureClass.RATE_LIMITED


def test_a_rate_limit_that_passed_is_no_failure() -> None:
    """An agent that waited and went on succeeded, and a later failure is its own (AGENT-4)."""
    assert read(REJECTED, OK).failure is None
    allowed = {"type": "rate_limit", "status": "allowed"}
    assert failure(REJECTED, allowed, b"boom", status=1).kind is FailureClass.WORK
    warned = {"type": "rate_limit", "status": "allowed_warning", "resets_at": 5}
    assert failure(warned, b"boom", status=1).kind is FailureClass.WORK


def test_a_review_is_its_verdict_line() -> None:
    """The last one counts (RUN-8)."""
    assert read(YES, OK, phase=REVIEW).verdict == Verdict(True)
    assert read(NO, phase=REVIEW).verdict == Verdict(False, ("a.py:1: wrong",))
    assert read(NO, YES, phase=REVIEW).verdict == Verdict(True)
    assert read(YES, NO, phase=REVIEW).verdict == Verdict(False, ("a.py:1: wrong",))


def test_a_review_without_a_valid_verdict_is_not_approved() -> None:
    """It fails closed, and says what came instead (RUN-8)."""
    for said in ([], [OK], [{"type": "verdict", "approved": "true"}], [YES, {"type": "verdict"}], [b"approved"]):
        found = read(*said, phase=REVIEW)
        assert found.failure is None
        assert found.verdict is not None
        assert not found.verdict.approved
        assert "no valid verdict" in found.verdict.findings[0]


def test_a_refusal_counts_whatever_the_exit_status() -> None:
    """A reviewer that says no twice has done its work; one that approves and fails has not (RUN-8)."""
    refused = read(NO, status=1, phase=REVIEW)
    assert (refused.failure, refused.verdict) == (None, Verdict(False, ("a.py:1: wrong",)))
    assert failure(YES, b"boom", status=1, phase=REVIEW).kind is FailureClass.WORK
    assert read(YES, status=1, phase=REVIEW).verdict is None
    assert failure(NO, status=-9, phase=REVIEW).kind is FailureClass.KILLED
    assert failure(NO, status=75, phase=REVIEW).kind is FailureClass.TRANSIENT


def test_verdicts_outside_reviews_mean_nothing() -> None:
    """Only a phase that asks for one has one (RUN-8)."""
    assert read(NO).verdict is None
    assert read(NO).failure is None


def test_touches_are_the_paths_inside_the_repo() -> None:
    """From lines, or from the block in the text (RUN-7)."""
    assert read({"type": "touches", "paths": ["a.py", "/etc/passwd", "../x", "a.py"]}).touches == ("a.py",)
    assert read({"type": "result", "ok": True, "text": "```touches\nb.py\n```"}).touches == ("b.py",)


@pytest.mark.parametrize(
    "junk", [b"\xff\xfe\x00", b"{" * 1000, b"x" * 50_000_000, b'{"type":"message","text":"' + b"y" * 50_000_000 + b'"}']
)
def test_junk_and_huge_lines_break_nothing(junk: bytes) -> None:
    """50 MB, invalid UTF-8, broken JSON: the rest is still read, and the outcome stays within bounds (AGENT-3)."""
    found = read(junk, OK)
    assert (found.failure, found.text) == (None, "done")
    reader = JsonlReader(WORK)
    reader.feed(junk)
    ended = reader.outcome(1, "")
    assert ended.failure is not None
    assert len(ended.failure.message) <= 2000
    assert len(ended.text) <= LONGEST_ANSWER


LINES = st.one_of(
    st.binary(max_size=50), st.sampled_from([json.dumps(one).encode() for one in (OK, YES, NO, REJECTED)])
)


@given(st.lists(LINES, max_size=8), st.integers(-20, 255), st.booleans())
def test_nothing_is_approved_or_done_by_accident(printed: list[bytes], status: int, review: bool) -> None:
    """No transcript raises; success needs exit status 0 or a plain refusal, approval its line (AGENT-4, RUN-8)."""
    found = read(*printed, status=status, phase=REVIEW if review else WORK)
    if found.verdict is not None and found.verdict.approved:
        assert status == 0
        assert json.dumps(YES).encode() in printed
    if status != 0 and found.failure is None:
        assert found.verdict is not None
        assert not found.verdict.approved
    assert (found.verdict is not None) == (review and found.failure is None)


QUESTION = {"type": "question", "text": " Which colour?\n"}


@pytest.mark.parametrize("status", [0, 1])
@pytest.mark.parametrize("said", [(QUESTION,), (QUESTION, OK), (YES, QUESTION)])
def test_who_asks_has_not_done_its_work(said: tuple[object, ...], status: int) -> None:
    """UI-4: a question is a failure of its own class, whatever else was said."""
    assert failure(*said, status=status) == Failure(FailureClass.QUESTION, "Which colour?")


def test_a_session_that_broke_down_is_made_again_before_its_question_counts() -> None:
    """A limit or a signal is no reason to bother anyone."""
    assert failure(QUESTION, REJECTED, status=1).kind is FailureClass.QUOTA
    assert failure(QUESTION, status=-9).kind is FailureClass.KILLED


@pytest.mark.parametrize("line", [{"type": "question"}, {"type": "question", "text": "  "}])
def test_a_question_without_words_is_none(line: object) -> None:
    """Nobody can answer it."""
    assert read(line, OK).failure is None
