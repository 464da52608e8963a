"""One agent session: prompt, process, transcript, outcome, and what it left committed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from weft.errors import ProcessError
from weft.execution.attended import EndedBy, Vigil, Vigils, attend
from weft.execution.context import RunContext
from weft.execution.outputs import keep_output, taken_outputs
from weft.execution.signs import files_changed, output_grew, tree_busy
from weft.execution.stall import StallWatch
from weft.model.commands import RunSession
from weft.model.events import AttemptStarted, SessionEnded
from weft.model.job import Job
from weft.model.outcome import Failure, SessionOutcome
from weft.model.phase import FailureClass, StepKind
from weft.model.usage import NO_USAGE
from weft.pipelines.prompts import session_prompt
from weft.ports import Emit, Reader, SessionRequest, Workspace
from weft.processes import Launch, read_status
from weft.processes.follow import follow, tail

TAIL_BYTES = 64_000
_LONG_TEXT = 64 * 1024


async def run_session(
    context: RunContext, command: RunSession, workspace: Workspace, stop: asyncio.Event, emit: Emit
) -> None:
    """Run it, or, if it had ended before a crash, read what it left."""
    attempt = command.attempt
    phase = context.phase(attempt)
    spec = context.plan.agent(phase.agent)
    if command.first:
        model = phase.model or spec.model
        await emit(AttemptStarted(at=context.clock.now(), attempt=attempt, agent=spec.name, model=model))
    outcome = await _outcome(context, command, workspace, stop)
    outcome = await _keep_work(context, command, workspace, outcome)
    await emit(SessionEnded(at=context.clock.now(), attempt=attempt, outcome=outcome))


async def _outcome(
    context: RunContext, command: RunSession, workspace: Workspace, stop: asyncio.Event
) -> SessionOutcome:
    """An agent that cannot even be started is a matter of set-up, not of the work."""
    try:
        request = await _request(context, command, workspace)
        reader = context.make_agent(request.agent).reader(request)
        status = _status_before(context, command)
        if status is not None:
            outcome = await _read_again(context, command, reader, status)
        else:
            outcome = await _run(context, command, request, reader, stop)
    except ProcessError as error:
        message = f"{error.message} (hint: {error.hint})" if error.hint else error.message
        return SessionOutcome(failure=Failure(FailureClass.SETUP, message), usage=NO_USAGE)
    return await keep_output(context, command, outcome)


async def _request(context: RunContext, command: RunSession, workspace: Workspace) -> SessionRequest:
    attempt = command.attempt
    job, phase, repo = context.job(attempt.job), context.phase(attempt), context.repo(attempt.job)
    prompt = session_prompt(
        phase,
        job,
        outputs=command.outputs,
        findings=command.findings,
        gates=(*repo.gates, *job.gates),
        branch=workspace.branch,
        base=workspace.base,
        changes=await _changes(command, workspace) if not phase.verbatim else "",
        quoted=await taken_outputs(context, command),
    )
    context.folder(attempt.job)
    prompt_file, issue_file = Path(context.layout.prompt(attempt)), Path(context.layout.issue(attempt))
    if phase.verbatim:
        issue_file = prompt_file
    await _write({prompt_file: prompt} if phase.verbatim else {prompt_file: prompt, issue_file: _issue_text(job)})
    return SessionRequest(
        attempt=attempt,
        job=job,
        phase=phase,
        agent=context.plan.agent(phase.agent),
        prompt=prompt,
        workdir=workspace.path / job.folder,
        prompt_file=prompt_file,
        issue_file=issue_file,
        environment=context.environment,
        folder=Path(context.layout.agent_files(attempt)),
    )


async def _changes(command: RunSession, workspace: Workspace) -> str:
    """Git need not be asked before there is a commit."""
    return "" if command.head == workspace.base else await workspace.changes()


async def _write(texts: Mapping[Path, str]) -> None:
    """Long ones beside the loop; for short ones that would cost more than it saves."""
    if sum(map(len, texts.values())) > _LONG_TEXT:
        await asyncio.to_thread(_write_files, texts)
    else:
        _write_files(texts)


def _write_files(texts: Mapping[Path, str]) -> None:
    for path, text in texts.items():
        try:
            path.write_text(text, encoding="utf-8", errors="replace")
        except FileNotFoundError:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="replace")


def _issue_text(job: Job) -> str:
    return f"# {job.title}\n\n{job.body}\n" if job.body else f"# {job.title}\n"


def _status_before(context: RunContext, command: RunSession) -> int | None:
    """The exit status of a process that this attempt already had; None if it had none that ended by itself."""
    if command.first:
        return None  # a new attempt: nothing can be left of it
    return _status(context, command)


def _status(context: RunContext, command: RunSession) -> int | None:
    ended = read_status(Path(context.layout.status(command.attempt, StepKind.SESSION)))
    return ended.status if ended else None


async def _run(
    context: RunContext, command: RunSession, request: SessionRequest, reader: Reader, stop: asyncio.Event
) -> SessionOutcome:
    layout, attempt = context.layout, command.attempt
    invocation = context.make_agent(request.agent).invocation(request)
    await _write(invocation.files)
    launch = Launch(
        argv=invocation.argv,
        cwd=request.workdir,
        env=invocation.environment,
        stdin=invocation.stdin,
        stdout=Path(layout.transcript(attempt, StepKind.SESSION)),
        stderr=Path(layout.stderr(attempt, StepKind.SESSION)),
        status_file=Path(layout.status(attempt, StepKind.SESSION)),
    )
    phase = request.phase
    ended = await attend(
        context.warden,
        launch,
        on_line=reader.feed if reader.wants_lines else None,
        timeout=phase.timeout,
        grace=context.plan.grace,
        stop=stop,
        vigils=_vigils(request, launch),
    )
    status = _status(context, command) if ended.by is EndedBy.WARDEN else None
    if status is not None:  # it had ended by itself just before
        return reader.outcome(status, _said(context, command))
    outcome = reader.outcome(ended.exit.status, _said(context, command))
    match ended.by:
        case EndedBy.TIMEOUT:
            return _failed(outcome, FailureClass.TIMEOUT, f"stopped after its time limit of {phase.timeout:g} s")
        case EndedBy.STOP:
            return _failed(outcome, FailureClass.KILLED, "stopped")
        case EndedBy.STALL:
            return _failed(
                outcome, FailureClass.STALLED, f"stopped after {phase.stall or 0:g} s without a sign of work"
            )
        case EndedBy.WARDEN:
            return _failed(outcome, FailureClass.LOST, "lost the process that had started it")
        case EndedBy.ITSELF:
            return outcome


def _vigils(request: SessionRequest, launch: Launch) -> Vigils | None:
    """What is kept over a session besides its time limit."""
    stall = request.phase.stall
    if not stall:
        return None
    files = [file for file in (launch.stdout, launch.stderr) if file]
    mark, folder = str(request.attempt), request.workdir

    def kept(pid: int, warden: int, now: float) -> list[Vigil]:
        signs = (output_grew(files), tree_busy(pid, mark, warden), files_changed(folder))
        return [StallWatch(stall, signs, now)]

    return kept


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
    if outcome.failure is not None:
        return outcome  # its work is saved when the workspace is put back or away
    if not phase.writes:
        saved = await workspace.restore(since)
        return msgspec.structs.replace(outcome, commit=since, saved=saved)
    message = commit_message(context.job(command.attempt.job), command)
    committed = await workspace.commit(message, since)
    if committed.unresolved:
        return _failed(outcome, FailureClass.WORK, _markers_left(committed.unresolved))
    return msgspec.structs.replace(outcome, commit=committed.head, changed=committed.changed, empty=committed.empty)


def _markers_left(files: Sequence[str]) -> str:
    return f"conflict markers are left in {', '.join(f'`{file}`' for file in files)}"


def commit_message(job: Job, command: RunSession) -> str:
    subject = " ".join(job.title.split()) or str(job.key)
    if job.key.id.isdecimal():
        subject = f"{subject} (#{job.key.id})"
    return f"{subject}\n\nWeft-Job: {job.key}\nWeft-Attempt: {command.attempt}\n"
