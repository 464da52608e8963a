"""Gates: commands that Weft itself runs to see whether the work is right."""

from __future__ import annotations

import asyncio
from pathlib import Path

from weft.execution.attended import Ended, EndedBy, attend
from weft.execution.context import RunContext
from weft.model.commands import RunGates
from weft.model.events import AttemptStarted, GatesEnded
from weft.model.ids import AttemptId
from weft.model.outcome import Failure, GateResult
from weft.model.phase import FailureClass
from weft.model.plan import Gate
from weft.ports import Emit, Workspace
from weft.processes import Launch
from weft.processes.follow import tail

TAIL_BYTES = 8_000


async def run_gates(
    context: RunContext, command: RunGates, workspace: Workspace, stop: asyncio.Event, emit: Emit
) -> None:
    """All of them, in order, whatever the first ones say: whoever mends the work wants the whole list."""
    attempt = command.attempt
    if command.first:
        await emit(AttemptStarted(at=context.clock.now(), attempt=attempt))
    gates = (*context.repo(attempt.job).gates, *context.job(attempt.job).gates)
    if not gates:
        await emit(GatesEnded(at=context.clock.now(), attempt=attempt))
        return
    commit = await workspace.tip()
    results: list[GateResult] = []
    failure = _lock_lost(context, command)
    for gate in () if failure else gates:
        log = Path(context.layout.gate(attempt, gate.name))
        result = await run_gate(context, attempt, gate, workspace.path, log, stop)
        if isinstance(result, Failure):
            failure = result
            break
        results.append(result)
    failure = failure or _lock_lost(context, command)
    if failure is None or failure.kind is not FailureClass.LOCK_LOST:
        await workspace.tidy()
    await emit(
        GatesEnded(at=context.clock.now(), attempt=attempt, results=tuple(results), commit=commit, failure=failure)
    )


def _lock_lost(context: RunContext, command: RunGates) -> Failure | None:
    """Once another has the job, its workspace is theirs, and what gates say of it is not about our work."""
    lost = context.locks.lost(command.attempt.job)
    return Failure(FailureClass.LOCK_LOST, lost) if lost else None


async def run_gate(
    context: RunContext, attempt: AttemptId, gate: Gate, folder: Path, log: Path, stop: asyncio.Event
) -> GateResult | Failure:
    """One of them, in a folder. A failure: it could not be run to its end."""
    context.folder(attempt.job)
    log.unlink(missing_ok=True)  # of an attempt that a crash cut short
    given = context.gate_environments[attempt.job.repo]
    told = {
        "WEFT_ATTEMPT": str(attempt),
        "WEFT_WORKDIR": str(folder),
        "WEFT_BASE_COMMIT": context.repo(attempt.job).base,
    }
    environment = {**given, **told}
    launch = Launch(argv=("/bin/sh", "-c", gate.command), cwd=folder, env=environment, stdout=log)
    began = context.clock.now()
    ended = await attend(
        context.warden, launch, on_line=None, timeout=gate.timeout, grace=context.plan.grace, stop=stop
    )
    return _judge(gate, ended, context.clock.now() - began, log)


def _judge(gate: Gate, ended: Ended, duration: float, log: Path) -> GateResult | Failure:
    status = ended.exit.status
    match ended.by:
        case EndedBy.STOP | EndedBy.STALL | EndedBy.CHECKPOINT:
            return Failure(FailureClass.KILLED, f"gate {gate.name} was stopped")
        case EndedBy.WARDEN:
            return Failure(FailureClass.LOST, f"gate {gate.name} lost the process that had started it")
        case EndedBy.TIMEOUT:
            said = f"{tail(log, TAIL_BYTES)}\n(stopped after its time limit of {gate.timeout:g} s)"
            return GateResult(gate.name, gate.command, False, status, duration, said.strip())
        case EndedBy.ITSELF:
            said = "" if status == 0 else tail(log, TAIL_BYTES)
            return GateResult(gate.name, gate.command, status == 0, status, duration, said)
