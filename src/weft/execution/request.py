"""What an agent is asked: its prompt, and the files it is given."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from weft.execution.context import RunContext
from weft.execution.outputs import taken_outputs
from weft.model.commands import RunSession
from weft.model.job import Job
from weft.pipelines.prompts import resumed_prompt, session_prompt
from weft.ports import Earlier, SessionRequest, Workspace

_LONG_TEXT = 64 * 1024


async def make_request(context: RunContext, command: RunSession, workspace: Workspace) -> SessionRequest:
    attempt = command.attempt
    job, phase = context.job(attempt.job), context.session_phase(command)
    resume = _resumed(context, command)
    prompt = await _prompt(context, command, workspace, resume)
    context.folder(attempt.job)
    prompt_file, issue_file = Path(context.layout.prompt(attempt)), Path(context.layout.issue(attempt))
    if phase.verbatim:
        issue_file = prompt_file
    await write_files({prompt_file: prompt} if phase.verbatim else {prompt_file: prompt, issue_file: _issue_text(job)})
    return SessionRequest(
        attempt=attempt,
        job=job,
        phase=phase,
        agent=context.agent(command),
        prompt=prompt,
        workdir=workspace.path / job.folder,
        prompt_file=prompt_file,
        issue_file=issue_file,
        environment=context.environment,
        folder=Path(context.layout.agent_files(attempt)),
        resume=resume,
        most_usd=_most_usd(context, command),
    )


def _most_usd(context: RunContext, command: RunSession) -> float | None:
    """An estimate is no limit: only what settings say is one."""
    limited = context.plan.budget is not None and context.plan.budget.session_usd is not None
    return command.reserved.usd if limited and command.reserved is not None else None


def _resumed(context: RunContext, command: RunSession) -> Earlier | None:
    """An agent that cannot go on in an earlier session begins anew, and is told all of it."""
    spec = context.agent(command)
    return command.resume if command.resume and context.make_agent(spec).resumes(spec) else None


async def _prompt(context: RunContext, command: RunSession, workspace: Workspace, resume: Earlier | None) -> str:
    attempt = command.attempt
    job, phase = context.job(attempt.job), context.phase(attempt)
    gates = (*context.repo(attempt.job).gates, *job.gates)
    if resume is not None:
        told = gates if phase.writes else ()
        return resumed_prompt(command.findings, told, interrupted=command.interrupted, answers=command.answers)
    return session_prompt(
        phase,
        job,
        outputs=command.outputs,
        findings=command.findings,
        gates=gates,
        branch=workspace.branch,
        base=workspace.base,
        changes=await _changes(command, workspace) if not phase.verbatim else "",
        quoted=await taken_outputs(context, command),
        continues=command.continues,
        answers=command.answers,
    )


async def _changes(command: RunSession, workspace: Workspace) -> str:
    """Git need not be asked before there is a commit."""
    return "" if command.head == workspace.base else await workspace.changes()


async def write_files(texts: Mapping[Path, str]) -> None:
    """Long ones beside the loop; for short ones that would cost more than it saves."""
    if sum(map(len, texts.values())) > _LONG_TEXT:
        await asyncio.to_thread(_write_now, texts)
    else:
        _write_now(texts)


def _write_now(texts: Mapping[Path, str]) -> None:
    for path, text in texts.items():
        try:
            path.write_text(text, encoding="utf-8", errors="replace")
        except FileNotFoundError:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="replace")


def _issue_text(job: Job) -> str:
    return f"# {job.title}\n\n{job.body}\n" if job.body else f"# {job.title}\n"
