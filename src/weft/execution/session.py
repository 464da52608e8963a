"""One agent session: prompt, process, transcript, outcome, and what it left committed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from weft.errors import ProcessError
from weft.execution.attended import EndedBy, attend
from weft.execution.context import RunContext
from weft.execution.outputs import keep_output
from weft.execution.questions import with_question
from weft.execution.quota_news import Feed, quota_told
from weft.execution.request import make_request, write_files
from weft.execution.spending import set_aside, watching_usage
from weft.execution.stopping import Stop
from weft.execution.vigils import session_vigils
from weft.model.commands import RunSession
from weft.model.events import AttemptStarted, SessionEnded
from weft.model.job import Job
from weft.model.outcome import Failure, SessionOutcome
from weft.model.phase import FailureClass, Phase, StepKind
from weft.model.usage import NO_USAGE
from weft.pipelines.defuse import defuse_line
from weft.pipelines.duration import duration_text
from weft.ports import Committed, Emit, Invocation, Reader, SessionRequest, Workspace
from weft.processes import Launch, read_status
from weft.processes.follow import follow, tail

TAIL_BYTES = 64_000
_UNFINISHED = (FailureClass.CHECKPOINT, FailureClass.QUESTION)
"""What a session left then is part of the work: another goes on with it."""


async def run_session(context: RunContext, command: RunSession, workspace: Workspace, stop: Stop, emit: Emit) -> None:
    """Run it, or, if it had ended before a crash, read what it left."""
    attempt = command.attempt
    phase, spec = context.session_phase(command), context.agent(command)
    if command.first:
        model = phase.model or spec.model
        await emit(AttemptStarted(at=context.clock.now(), attempt=attempt, agent=spec.name, model=model))
    outcome = await _outcome(context, command, workspace, stop, emit)
    outcome = await _keep_work(context, command, workspace, outcome)
    await emit(SessionEnded(at=context.clock.now(), attempt=attempt, outcome=outcome, agent=spec.name))


async def _outcome(
    context: RunContext, command: RunSession, workspace: Workspace, stop: Stop, emit: Emit
) -> SessionOutcome:
    """An agent that cannot even be started is a matter of set-up, not of the work."""
    try:
        request = await make_request(context, command, workspace)
        reader = context.make_agent(request.agent).reader(request)
        status = _status_before(context, command)
        if status is not None:
            outcome = await _read_again(context, command, reader, status)
        else:
            refused = await set_aside(context, command, stop)
            if refused is not None:
                return SessionOutcome(failure=refused, usage=NO_USAGE)
            async with quota_told(context, command, reader, emit) as feed:
                outcome = await _run(context, command, request, reader, feed, stop, emit)
    except ProcessError as error:
        message = f"{error.message} (hint: {error.hint})" if error.hint else error.message
        return SessionOutcome(failure=Failure(FailureClass.SETUP, message), usage=NO_USAGE)
    return await keep_output(context, command, outcome)


def _status_before(context: RunContext, command: RunSession) -> int | None:
    """The exit status of a process that this attempt already had; None if it had none that ended by itself."""
    if command.first:
        return None  # a new attempt: nothing can be left of it
    return _status(context, command)


def _status(context: RunContext, command: RunSession) -> int | None:
    ended = read_status(Path(context.layout.status(command.attempt, StepKind.SESSION)))
    return ended.status if ended else None


async def _run(
    context: RunContext,
    command: RunSession,
    request: SessionRequest,
    reader: Reader,
    feed: Feed,
    stop: Stop,
    emit: Emit,
) -> SessionOutcome:
    invocation = context.make_agent(request.agent).invocation(request)
    await write_files(invocation.files)
    launch = _launch(context, request, invocation)
    ended = await attend(
        context.warden,
        launch,
        on_line=feed if reader.wants_lines else None,
        timeout=request.phase.timeout,
        grace=context.plan.grace,
        stop=stop,
        vigils=watching_usage(session_vigils(request, launch), context, command, reader, emit),
        gentle=invocation.gentle,
    )
    status = _status(context, command) if ended.by is EndedBy.WARDEN else None
    if status is not None:  # it had ended by itself just before
        return reader.outcome(status, _said(context, command))
    return _judged(reader.outcome(ended.exit.status, _said(context, command)), ended.by, request.phase, stop)


def _launch(context: RunContext, request: SessionRequest, invocation: Invocation) -> Launch:
    layout, attempt = context.layout, request.attempt
    return Launch(
        argv=invocation.argv,
        cwd=request.workdir,
        env=invocation.environment,
        stdin=invocation.stdin,
        stdout=Path(layout.transcript(attempt, StepKind.SESSION)),
        stderr=Path(layout.stderr(attempt, StepKind.SESSION)),
        status_file=Path(layout.status(attempt, StepKind.SESSION)),
    )


def _judged(outcome: SessionOutcome, by: EndedBy, phase: Phase, stop: Stop) -> SessionOutcome:
    """What the agent said of itself holds only where nobody ended it."""
    match by:
        case EndedBy.TIMEOUT:
            return _failed(outcome, FailureClass.TIMEOUT, f"stopped after its time limit of {phase.timeout:g} s")
        case EndedBy.STOP:
            return msgspec.structs.replace(outcome, failure=stop.failure)
        case EndedBy.STALL:
            return _failed(
                outcome, FailureClass.STALLED, f"stopped after {phase.stall or 0:g} s without a sign of work"
            )
        case EndedBy.CHECKPOINT:  # it may have come to its end just then
            message = f"ended at its checkpoint, after {duration_text(phase.checkpoint or 0)}"
            return _failed(outcome, FailureClass.CHECKPOINT, message) if outcome.failure else outcome
        case EndedBy.WARDEN:
            return _failed(outcome, FailureClass.LOST, "lost the process that had started it")
        case EndedBy.ITSELF:
            return outcome


async def _read_again(context: RunContext, command: RunSession, reader: Reader, status: int) -> SessionOutcome:
    transcript = Path(context.layout.transcript(command.attempt, StepKind.SESSION))
    over = asyncio.Event()
    over.set()
    await follow(transcript, reader.feed, over)
    return reader.outcome(status, _said(context, command))


def _said(context: RunContext, command: RunSession) -> str:
    """The end of what it printed: what went wrong is often said on stderr alone."""
    layout, attempt = context.layout, command.attempt
    out = tail(Path(layout.transcript(attempt, StepKind.SESSION)), TAIL_BYTES)
    err = tail(Path(layout.stderr(attempt, StepKind.SESSION)), TAIL_BYTES)
    return f"{out.rstrip()}\n{err}" if out.strip() and err.strip() else out or err


def _failed(outcome: SessionOutcome, kind: FailureClass, message: str) -> SessionOutcome:
    return msgspec.structs.replace(outcome, failure=Failure(kind, message))


async def _keep_work(
    context: RunContext, command: RunSession, workspace: Workspace, outcome: SessionOutcome
) -> SessionOutcome:
    """Commit what a phase that writes left. What others left, and what a failed one did, is set aside on a ref."""
    lost = context.locks.lost(command.attempt.job)
    if lost is not None:
        return _failed(outcome, FailureClass.LOCK_LOST, lost)
    phase = context.phase(command.attempt)
    since = command.head or workspace.head
    if outcome.failure is not None and outcome.failure.kind in _UNFINISHED and phase.writes:
        return await _keep_progress(context, command, workspace, outcome)
    if outcome.failure is not None:
        return outcome  # its work is saved when the workspace is put back or away
    if not phase.writes:
        saved = await workspace.restore(since)
        outcome = msgspec.structs.replace(outcome, commit=since, saved=saved)
        return outcome if saved else with_question(phase, outcome)
    message = commit_message(context.job(command.attempt.job), command)
    committed = await workspace.commit(message, since)
    if committed.unresolved or committed.untouched:
        return _failed(outcome, FailureClass.WORK, _conflicts_left(committed))
    outcome = msgspec.structs.replace(outcome, commit=committed.head, changed=committed.changed, empty=committed.empty)
    return outcome if committed.changed else with_question(phase, outcome)


async def _keep_progress(
    context: RunContext, command: RunSession, workspace: Workspace, outcome: SessionOutcome
) -> SessionOutcome:
    """Work that is not done, for the next session to go on from. A merge with conflicts is left as it is."""
    message = "Work in progress: " + commit_message(context.job(command.attempt.job), command)
    committed = await workspace.commit(message, command.head or workspace.head)
    kept = None if committed.unresolved or committed.untouched else committed.head
    return msgspec.structs.replace(outcome, commit=kept, changed=committed.changed, empty=committed.empty)


def _conflicts_left(committed: Committed) -> str:
    said = []
    if committed.unresolved:
        said.append(f"conflict markers are left in {_listed(committed.unresolved)}")
    if committed.untouched:
        files = _listed(committed.untouched)
        said.append(f"the conflict in {files} is not resolved (if it is right as it is, say so with `git add`)")
    return "; ".join(said)


def _listed(files: Sequence[str]) -> str:
    return ", ".join(f"`{file}`" for file in files)


def commit_message(job: Job, command: RunSession) -> str:
    subject = defuse_line(job.title) or str(job.key)
    if job.key.id.isdecimal():
        subject = f"{subject} (#{job.key.id})"
    return f"{subject}\n\nWeft-Job: {job.key}\nWeft-Attempt: {command.attempt}\n"
