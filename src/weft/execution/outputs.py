"""What a task said, whole: kept beside its transcript, since it may be too long for the journal."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from weft.errors import ProcessError
from weft.execution.context import RunContext
from weft.model.commands import RunSession, Taken
from weft.model.ids import AttemptId
from weft.model.layout import Layout
from weft.model.outcome import Failure, SessionOutcome
from weft.model.phase import FailureClass, StepKind
from weft.model.plan import AgentKind, AgentSpec, OutputFormat
from weft.pipelines.quoting import Quoted
from weft.pipelines.ranking import MOST, NO_RANKING, labelled, parse_ranking

_FEWEST_RANKED = 2
_LONGEST_TEXT = 64 * 1024


def output_file(layout: Layout, attempt: AttemptId) -> Path | None:
    """Where the attempt's output stands: a file of its own, or else its transcript, which then holds nothing else."""
    for name in (layout.output(attempt), layout.transcript(attempt, StepKind.SESSION)):
        if (path := Path(name)).exists():
            return path
    return None


def read_output(layout: Layout, attempt: AttemptId) -> str | None:
    """None where nothing of the attempt is left."""
    path = output_file(layout, attempt)
    return None if path is None else path.read_bytes().decode("utf-8", "replace")


async def taken_outputs(context: RunContext, command: RunSession) -> list[Quoted]:
    """What the prompt quotes; ProcessError where it is gone, or where there is too little to rank."""
    if not command.takes:
        return []
    quoted = await asyncio.to_thread(lambda: [_quoted(context.layout, taken) for taken in command.takes])
    if context.phase(command.attempt).ranks:
        _check_number(sum(quote.done for quote in quoted))
    return quoted


def _quoted(layout: Layout, taken: Taken) -> Quoted:
    text = read_output(layout, taken.attempt)
    if text is None:
        raise ProcessError(f"the output of {taken.attempt} is gone", hint="run the file again from its start")
    return Quoted(taken.attempt.job, text, taken.done)


def _check_number(answers: int) -> None:
    if answers < _FEWEST_RANKED:
        raise ProcessError(f"there is nothing to rank: {answers} of the agents gave an answer")
    if answers > MOST:
        raise ProcessError(f"there are {answers} answers, and no more than {MOST} can be ranked")


async def keep_output(context: RunContext, command: RunSession, outcome: SessionOutcome) -> SessionOutcome:
    """A task's whole answer goes to its file, and out of what is journalled; a ranking is checked to be one. What
    other sessions said is for later phases: its end is enough.
    """
    phase = context.phase(command.attempt)
    if not phase.verbatim and not phase.ranks:
        return msgspec.structs.replace(outcome, text=outcome.text[-_LONGEST_TEXT:])
    if not _prints_its_answer(context.agent(command)):
        file = Path(context.layout.output(command.attempt))
        await asyncio.to_thread(file.write_text, outcome.text, encoding="utf-8", errors="replace")
    if phase.ranks:
        outcome = _ranked(context, command, outcome)
    return msgspec.structs.replace(outcome, text="")


def _prints_its_answer(spec: AgentSpec) -> bool:
    """Whether all it prints is the answer, so that the transcript is the output."""
    return spec.kind is AgentKind.COMMAND and spec.output is OutputFormat.TEXT


def _ranked(context: RunContext, command: RunSession, outcome: SessionOutcome) -> SessionOutcome:
    if outcome.failure is not None:
        return outcome
    labels = labelled([taken.attempt.job for taken in command.takes if taken.done])
    said = read_output(context.layout, command.attempt) or ""
    if parse_ranking(said, list(labels)) is not None:
        return outcome
    return msgspec.structs.replace(outcome, failure=Failure(FailureClass.BAD_OUTPUT, NO_RANKING))
