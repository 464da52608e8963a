"""What a hand that broke would have answered: every command gets an answer, defects included."""

from __future__ import annotations

from weft.model.commands import CloseWorkspace, Command, PrepareWorkspace, RunGates, RunSession
from weft.model.events import GatesEnded, Input, SessionEnded, WorkspaceClosed, WorkspaceFailed
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
            return None
