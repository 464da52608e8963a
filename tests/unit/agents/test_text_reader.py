"""Agents that print plain text: the exit status decides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.agents.text_reader import TextReader
from weft.model.outcome import SessionOutcome, Verdict
from weft.model.phase import FailureClass, Phase, StepKind

WORK = Phase("exec", (StepKind.SESSION,))
REVIEW = Phase("qa", (StepKind.SESSION,), verdict=True)


def outcome(phase: Phase, status: int, tail: str = "") -> SessionOutcome:
    return TextReader(phase).outcome(status, tail)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (1, FailureClass.WORK),
        (127, FailureClass.WORK),
        (75, FailureClass.TRANSIENT),
        (-9, FailureClass.KILLED),
        (-15, FailureClass.KILLED),
        (-11, FailureClass.CRASHED),
        (-6, FailureClass.CRASHED),
        (-64, FailureClass.KILLED),
    ],
)
def test_what_an_exit_status_means(status: int, kind: FailureClass) -> None:
    """75 is transient, a signal is not the agent's word, the rest is a failure of the work (AGENT-4)."""
    failure = outcome(WORK, status, "a\n\x1b[31mboom\x1b[0m\n").failure
    assert failure is not None
    assert failure.kind is kind
    assert failure.message.endswith("a\nboom")


def test_zero_is_success_and_the_text_goes_on() -> None:
    """Later phases see the end of what it said, of a plan also the files it names (RUN-7)."""
    found = outcome(WORK, 0, "plan\n```touches\na.py\n```\n")
    assert (found.failure, found.exit_status, found.touches) == (None, 0, ("a.py",))
    assert found.text.startswith("plan")
    assert len(outcome(WORK, 0, "x" * 1_000_000).text) == 65536


def test_silence_is_told_as_such() -> None:
    """A failure always has a message (AGENT-4)."""
    failure = outcome(WORK, 3).failure
    assert failure is not None
    assert failure.message == "ended with exit status 3 and said nothing"


def test_only_the_last_lines_are_the_message() -> None:
    """The end holds the error; a message is read by people (AGENT-4)."""
    failure = outcome(WORK, 1, "\n".join(f"line {n}" for n in range(1000))).failure
    assert failure is not None
    assert failure.message.split("\n")[-1] == "line 999"
    assert len(failure.message.split("\n")) == 12


def test_in_a_review_the_exit_status_is_the_verdict() -> None:
    """0 approves; anything else does not, with its output as the finding (RUN-8)."""
    assert outcome(REVIEW, 0, "not approved!").verdict == Verdict(True)
    refused = outcome(REVIEW, 1, "login.py:3: no check\n")
    assert (refused.failure, refused.verdict) == (None, Verdict(False, ("login.py:3: no check",)))
    silent = outcome(REVIEW, 2).verdict
    assert silent is not None
    assert silent.findings


@pytest.mark.parametrize(("status", "kind"), [(75, FailureClass.TRANSIENT), (-9, FailureClass.KILLED)])
def test_a_review_that_did_not_happen_is_no_verdict(status: int, kind: FailureClass) -> None:
    """A signal or a transient failure says nothing about the work (RUN-8)."""
    found = outcome(REVIEW, status)
    assert found.verdict is None
    assert found.failure is not None
    assert found.failure.kind is kind


@given(st.integers(-70, 255), st.text(), st.booleans())
def test_only_zero_ever_succeeds(status: int, tail: str, review: bool) -> None:
    """Whatever it printed (AGENT-4)."""
    found = outcome(REVIEW if review else WORK, status, tail)
    approved = found.verdict is not None and found.verdict.approved
    assert approved == (review and status == 0)
    assert (found.failure is None) == (status == 0 or found.verdict is not None)
