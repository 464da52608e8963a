"""The lines of a run as people follow it (RUN-10 to RUN-12). Scripts match them: the texts are fixed."""

from __future__ import annotations

from weft.board.durations import duration_text, whole_duration_text
from weft.board.views import AttemptView, JobView, PhaseView, RunView
from weft.model.events import AttemptStarted, GatesEnded, MergeGated, PhaseEnded
from weft.model.job import JobStatus
from weft.model.outcome import GateResult, PhaseStatus
from weft.model.plan import Mode
from weft.terminal.glyphs import UNICODE, Glyphs
from weft.terminal.plain import plain

_ENDINGS = {
    JobStatus.PASSED: "completed",
    JobStatus.FAILED: "failed",
    JobStatus.LOCKED: "locked",
    JobStatus.PARKED: "parked",
    JobStatus.NO_CHANGE: "made no change",
    JobStatus.NOT_RUN: "not run",
    JobStatus.SKIPPED: "skipped",
    JobStatus.CANCELLED: "cancelled",
}


def noun(mode: Mode) -> str:
    """What a job is called: issues for `weft run` and waves, tasks for task files and projects."""
    return "Task" if mode in (Mode.TASKS, Mode.PROJECTS) else "Issue"


class Lines:
    """Makes the lines of one run from its view."""

    def __init__(self, view: RunView, glyphs: Glyphs = UNICODE) -> None:
        self.view = view
        self.glyphs = glyphs

    def phase_started(self, event: AttemptStarted) -> str:
        """`● #100: spec started`."""
        return f"{self._phase(event)} started"

    def phase_ended(self, event: PhaseEnded, attempt: AttemptView) -> str:
        """`● #101: spec ✓ (4m 6s)`, `● #102: spec ✗`, with what follows where the phase comes again by itself."""
        head = self._phase(event)
        match event.status:
            case PhaseStatus.PASSED:
                return f"{head} {self.glyphs.tick} ({whole_duration_text(attempt.duration or 0.0)})"
            case PhaseStatus.FAILED:
                return f"{head} {self.glyphs.cross}"
            case PhaseStatus.RETRYING:
                return f"{head} {self.glyphs.cross} {self.glyphs.dot} {_again(event)}"
            case PhaseStatus.LOST:
                return f"{head} {self.glyphs.cross} {self.glyphs.dot} lost in a crash, starts again"
            case PhaseStatus.CANCELLED:
                return f"{head} {self.glyphs.dash} cancelled"
            case PhaseStatus.CONTINUED:
                return f"{head} {self.glyphs.dash} at its checkpoint, goes on in a fresh session"

    def session(self, event: AttemptStarted, planned: PhaseView | None = None) -> str:
        """Who does the attempt, or will once its gates have passed; for runs with one job at a time."""
        agent, model = event.agent, event.model
        if agent is None and planned is not None:
            agent, model = planned.agent, planned.model
        parts = [f"agent {agent}"] if agent else []
        if model:
            parts.append(f"model {model}")
        parts.append(f"attempt {event.attempt.number}")
        return "    " + plain(f" {self.glyphs.dot} ".join(parts))

    def phase_reason(self, reason: str) -> str:
        """Why a phase did not pass: the first line of it."""
        return "    " + plain(reason.strip().split("\n", 1)[0])

    def gates(self, event: GatesEnded | MergeGated) -> list[str]:
        return [self._gate(result) for result in event.results]

    def job_ended(self, job: JobView) -> str:
        """`✓ Issue #100 completed (12m 15s)`, `✗ Issue #101 failed (45s): Phase exec failed`."""
        status = job.status or JobStatus.CANCELLED
        head = f"{self.glyphs.mark(status)} {noun(self.view.mode)} {self.label(job)}"
        if status is JobStatus.LOCKED and (job.reason or "").startswith("locked "):
            return f"{head} {plain(job.reason or '')}"  # `locked by PID 12345 (weft run 604)`
        head = f"{head} {_ENDINGS[status]}"
        took = f" ({whole_duration_text(job.duration or 0.0)})" if job.begun is not None else ""
        why = self._why(job, status)
        return f"{head}{took}: {why}" if why else f"{head}{took}"

    def limited(self) -> str:
        """`cap 1 of 3: usage 5h 76 %, step at 75 % until 70 %`, `cap 3 again`."""
        governor, asked = self.view.governor, self.view.cap_asked
        if governor.cap is None or governor.cap >= asked:
            return f"cap {asked} again"
        how = f"cap {governor.cap} of {asked}" if governor.cap else "nothing new starts"
        return plain(f"{how}: {governor.why}")

    def still_running(self, now: float) -> str:
        """`⏳ Still running... (3m 15s elapsed)`."""
        return f"{self.glyphs.pending} Still running... ({whole_duration_text(self.view.duration(now))} elapsed)"

    def label(self, job: JobView) -> str:
        return plain(self.view.label(job.key))

    def _phase(self, event: AttemptStarted | PhaseEnded) -> str:
        label = self.view.label(event.attempt.job)
        return plain(f"{self.glyphs.bullet} {label}: {event.attempt.phase}")

    def _gate(self, result: GateResult) -> str:
        if result.passed:
            return plain(f"    gate {result.name} {self.glyphs.tick} ({duration_text(result.duration)})")
        how = f"exit status {result.exit_status}, {duration_text(result.duration)}"
        return plain(f"    gate {result.name} {self.glyphs.cross} ({how})")

    def _why(self, job: JobView, status: JobStatus) -> str:
        if status is JobStatus.PASSED:
            return ""
        if status is JobStatus.FAILED and job.failed_phase:
            return plain(f"Phase {job.failed_phase} failed")
        return plain(job.explained or "")


def _again(event: PhaseEnded) -> str:
    if event.retry_at is None:
        return "again"
    return f"again in {duration_text(max(0.0, event.retry_at - event.at))}"
