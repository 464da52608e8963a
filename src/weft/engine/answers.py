"""What a hand that broke would have answered: every command gets an answer, defects included."""

from __future__ import annotations

from weft.model.commands import (
    CloseWorkspace,
    Command,
    GateMerge,
    GateTarget,
    HandOff,
    Land,
    MakeMerge,
    PrepareWorkspace,
    Publish,
    ReadTarget,
    RunGates,
    RunSession,
)
from weft.model.events import (
    GatesEnded,
    HandoffEnded,
    Input,
    LandingEnded,
    MergeGated,
    MergeMade,
    PublishEnded,
    SessionEnded,
    TargetGated,
    TargetRead,
    WorkspaceClosed,
    WorkspaceFailed,
)
from weft.model.outcome import Failure, SessionOutcome
from weft.model.phase import FailureClass


def broken_answer(command: Command, error: BaseException, at: float) -> Input | None:
    message = f"{type(error).__name__}: {error}"
    failure = Failure(FailureClass.CRASHED, message)
    match command:
        case PrepareWorkspace():
            return WorkspaceFailed(at=at, job=command.job, reason=message)
        case RunGates():
            return GatesEnded(at=at, attempt=command.attempt, failure=failure)
        case RunSession():
            return SessionEnded(at=at, attempt=command.attempt, outcome=SessionOutcome(failure=failure))
        case CloseWorkspace():
            return WorkspaceClosed(at=at, job=command.job, problem=message)
        case _:
            return _of_merging(command, message, at)


def _of_merging(command: Command, message: str, at: float) -> Input | None:
    failure = Failure(FailureClass.CRASHED, message)
    match command:
        case ReadTarget():
            return TargetRead(at=at, repo=command.repo, problem=message)
        case MakeMerge():
            return MergeMade(at=at, attempt=command.attempt, onto=command.onto, problem=message)
        case GateMerge():
            return MergeGated(at=at, attempt=command.attempt, commit=command.commit, failure=failure)
        case GateTarget():
            return TargetGated(at=at, attempt=command.attempt, commit=command.commit, failure=failure)
        case Land():
            return LandingEnded(at=at, attempt=command.attempt, commit=command.commit, landed=False, problem=message)
        case Publish():
            return PublishEnded(at=at, attempt=command.attempt, problem=message)
        case HandOff():
            return HandoffEnded(at=at, repo=command.repo, number=command.number, problem=message)
        case _:
            return None
