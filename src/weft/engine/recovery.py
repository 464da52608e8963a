"""A dead run's journal becomes its state again."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from weft.errors import UsageError
from weft.model.commands import WriteNote
from weft.model.events import AnyEvent, CutShort, Input, Note, RunResumed
from weft.model.ids import AttemptId, RunId
from weft.scheduler.readings import Reading
from weft.scheduler.state import State
from weft.scheduler.states import JobState
from weft.scheduler.step import replay


class Reconstructed(msgspec.Struct, frozen=True):
    state: State
    missing: tuple[Note, ...]
    """Conclusions that the dead process drew and did not write any more."""
    last_at: float


def reconstruct(run: RunId, events: Iterable[AnyEvent]) -> Reconstructed:
    """Replay. Notes are drawn in a fixed order and written in it, so what is missing is the end of the list."""
    inputs: list[Input] = []
    written = 0
    last_at = 0.0
    for event in events:
        last_at = max(last_at, event.at)
        if isinstance(event, Note):
            written += 1
        else:
            inputs.append(event)
    if not inputs:
        raise UsageError(f"Unknown run `{run}`", hint="`weft status --all` lists the runs there are")
    state, commands = replay(run, inputs)
    notes = [command.note for command in commands if isinstance(command, WriteNote)]
    return Reconstructed(state, tuple(notes[written:]), last_at)


def no_session(attempt: AttemptId) -> str | None:
    """Whatever was cut short starts clean."""
    return None


def resume_event(
    state: State,
    at: float,
    ended_by_itself: Callable[[AttemptId], bool],
    readings: tuple[Reading, ...] = (),
    session_of: Callable[[AttemptId], str | None] = no_session,
) -> RunResumed:
    """Which sessions had ended when Weft died: those need not be paid for again; and which others can go on."""
    under_way = [job.attempt for job in state.jobs.values() if job.state is JobState.SESSION and job.attempt]
    finished = tuple(attempt for attempt in under_way if ended_by_itself(attempt))
    others = {attempt: session_of(attempt) for attempt in under_way if attempt not in finished}
    cut_short = tuple(CutShort(attempt, session) for attempt, session in others.items() if session)
    return RunResumed(at=at, finished=finished, cut_short=cut_short, readings=readings)
