"""A run's structured log (RUN-17): every event as one entry, filed under the job it is about and no other."""

from __future__ import annotations

from typing import Any

import msgspec

from weft.board.document import Document
from weft.board.durations import money_text
from weft.board.limit_log import limit_text
from weft.board.merge_log import MergeEvent, gate_text, merge_text
from weft.board.publish_log import PublishEvent, publish_text
from weft.board.times import iso_time
from weft.model import events as e
from weft.model.events import AnyEvent
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.outcome import SessionOutcome


class LogEntry(msgspec.Struct, frozen=True):
    at: float
    job: JobKey | None
    """None: about the run as a whole."""
    text: str


def log_entry(event: AnyEvent) -> LogEntry:
    return LogEntry(event.at, job_of(event), _text(event))


def job_of(event: AnyEvent) -> JobKey | None:
    attempt = getattr(event, "attempt", None)
    if isinstance(attempt, AttemptId):
        return attempt.job
    job = getattr(event, "job", None)
    return job if isinstance(job, JobKey) else None


def event_document(run: RunId, event: AnyEvent, seq: int | None = None) -> Document:
    """An event as `weft logs --json` and `--json-stream` print it: `run`, `type`, `at`, `job`, then its own fields.

    Keys of jobs are texts such as `shop#101`. A plan is told by its mode, cap and jobs: prompts are not repeated.
    """
    fields: dict[str, Any] = msgspec.to_builtins(event)
    kind = fields.pop("type")
    job = job_of(event)
    head: Document = {"run": run} if seq is None else {"run": run, "seq": seq}
    head |= {"type": kind, "at": iso_time(event.at), "job": None if job is None else str(job)}
    fields.pop("at")
    fields.pop("job", None)
    if "attempt" in fields:
        attempt = fields.pop("attempt")
        head |= {"phase": attempt["phase"], "attempt": attempt["number"]}
    return head | _tamed(event, fields)


def _tamed(event: AnyEvent, fields: dict[str, Any]) -> dict[str, Any]:
    match event:
        case e.RunStarted(plan=plan):
            jobs = [{"key": str(job.key), "title": job.title} for job in plan.jobs]
            return {"mode": plan.mode.value, "cap": plan.cap, "command": plan.command, "jobs": jobs}
        case e.RunResumed(finished=finished, cut_short=cut_short):
            resumed = {"resumed": [str(one.attempt) for one in cut_short]} if cut_short else {}
            return {"finished": [str(attempt) for attempt in finished], **resumed}
        case e.PhaseEnded(retry_at=retry_at) if retry_at is not None:
            return fields | {"retry_at": iso_time(retry_at)}
        case _:
            return fields


def _text(event: AnyEvent) -> str:
    match event:
        case e.AttemptStarted() | e.GatesEnded() | e.SessionEnded() | e.UsageSeen() | e.PhaseEnded():
            return f"{event.attempt.phase} attempt {event.attempt.number}: {_attempt_text(event)}"
        case e.WorkspaceReady() | e.WorkspaceFailed() | e.WorkspaceClosed() | e.JobAdmitted() | e.JobEnded():
            return _job_text(event)
        case _ if isinstance(event, MergeEvent):
            return merge_text(event)
        case _ if isinstance(event, PublishEvent):
            return publish_text(event)
        case _:
            return _run_text(event)


def _attempt_text(event: e.AttemptStarted | e.GatesEnded | e.SessionEnded | e.UsageSeen | e.PhaseEnded) -> str:
    match event:
        case e.AttemptStarted(agent=agent, model=model):
            by = f" by {agent}" if agent else ""
            return f"started{by}" + (f" ({model})" if model else "")
        case e.GatesEnded(results=results, failure=failure):
            if failure is not None:
                return f"gates could not be run: {failure.message}"
            return "gates: " + (", ".join(map(gate_text, results)) or "none")
        case e.SessionEnded(outcome=outcome):
            return _session_text(outcome)
        case e.UsageSeen(usage=usage):
            cost = "" if usage.cost_usd is None else f", {money_text(usage.cost_usd)}"
            return f"has used {usage.tokens:,} tokens so far{cost}"
        case e.PhaseEnded(status=status, reason=reason):
            return status.value + (f": {reason}" if reason else "")


def _session_text(outcome: SessionOutcome) -> str:
    if outcome.failure is not None:
        return f"session failed ({outcome.failure.kind.value}): {outcome.failure.message}"
    if outcome.verdict is not None:
        found = f", {len(outcome.verdict.findings)} findings" if outcome.verdict.findings else ""
        said = "approved" if outcome.verdict.approved else "not approved"
        return f"session ended: {said}{found}{_saved(outcome.saved)}"
    return "session ended" + (f" at {outcome.commit[:12]}" if outcome.commit else "") + _saved(outcome.saved)


def _job_text(
    event: e.WorkspaceReady | e.WorkspaceFailed | e.WorkspaceClosed | e.JobAdmitted | e.JobEnded,
) -> str:
    match event:
        case e.JobAdmitted():
            return "admitted"
        case e.WorkspaceReady(path=path, branch=branch):
            return f"workspace {path}" + (f" on {branch}" if branch else "") + _saved(event.saved)
        case e.WorkspaceFailed(reason=reason):
            return f"workspace failed: {reason}" + _saved(event.saved)
        case e.WorkspaceClosed(kept=kept, problem=problem):
            text = f"workspace kept at {kept}" if kept else "workspace removed"
            return text + (f", problem: {problem}" if problem else "") + _saved(event.saved)
        case e.JobEnded(status=status, reason=reason, detail=detail):
            parts = [status.value.replace("_", " "), reason, detail]
            return "ended: " + ": ".join(part for part in parts if part)


def _saved(refs: tuple[str, ...]) -> str:
    return f", saved {', '.join(refs)}" if refs else ""


def _run_text(event: AnyEvent) -> str:
    match event:
        case e.RunStarted(plan=plan):
            return f"run started: {plan.mode.value}, {len(plan.jobs)} jobs, cap {plan.cap}"
        case e.RunResumed():
            return "run resumed"
        case e.CapSet(cap=cap):
            return f"cap set to {cap}"
        case e.GovernorCapSet(cap=limit, why=why):
            return "governor's cap lifted" if limit is None else f"governor's cap {limit}" + (f": {why}" if why else "")
        case e.UsageRead() | e.MachineRead() | e.LimitSet():
            return limit_text(event)
        case e.PauseSet(paused=paused):
            return "paused" if paused else "pause lifted"
        case e.LockTaken(said=said):
            return "lock taken" + (f": {said}" if said else "")
        case e.LockRefused(holder=holder):
            return f"locked by {holder}"
        case e.CancelRequested(why=why):
            return f"cancel asked for: {why}"
        case e.RetryRequested():
            return "retry asked for"
        case e.AnswerGiven(text=text):
            return f"a person answers: {' '.join(text.split())}"
        case e.StopRequested(signal=signal):
            return f"stop asked for by signal {signal}"
        case e.JobWaits(until=until, why=why):
            return f"waits until {iso_time(until)}: {why}"
        case e.QuotaSeen(account=account, why=why):
            return f"the quota of {account} is used up" + (f": {why}" if why else "")
        case e.TimerFired():
            return "timer fired"
        case e.RunEnded(stopped_by=signal):
            return "run ended" + (f" by signal {signal}" if signal is not None else "")
        case _:
            return type(event).__name__
