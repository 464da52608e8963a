"""Shows a run on stderr as it goes: phase lines, endings, the progress line, the heartbeat (RUN-10 to RUN-13)."""

from __future__ import annotations

from weft.board.board import Board
from weft.board.views import PhaseView
from weft.model.events import (
    AnyEvent,
    AttemptStarted,
    GatesEnded,
    HandoffEnded,
    JobEnded,
    JobQueued,
    LandingEnded,
    LimitSet,
    LockRefused,
    LockTaken,
    MachineRead,
    MergeFailed,
    MergeGated,
    MergeMade,
    PhaseEnded,
    PublishEnded,
    QueueHoldSet,
    QuotaSeen,
    RunEnded,
    RunResumed,
    RunStarted,
    StopRequested,
    TargetGated,
    TargetRead,
    TargetRed,
    TrackerWaits,
    UsageRead,
)
from weft.model.ids import JobKey, RunId
from weft.model.job import JobStatus
from weft.model.outcome import PhaseStatus
from weft.terminal.lines import Lines
from weft.terminal.merge_lines import MergeLines, Shown
from weft.terminal.plain import plain
from weft.terminal.progress import progress_line
from weft.terminal.publish_lines import publish_line
from weft.terminal.screen import Screen, Tone

HEARTBEAT = 60.0
"""Seconds without a phase event after which the terminal would look frozen."""

STOPPING = "Stopping: work in progress is being saved (Ctrl-C again ends everything at once)"

_ENDED_TONES = {
    JobStatus.PASSED: Tone.GOOD,
    JobStatus.FAILED: Tone.BAD,
    JobStatus.LOCKED: Tone.WARNING,
    JobStatus.PARKED: Tone.WARNING,
    JobStatus.NO_CHANGE: Tone.WARNING,
}


class Reporter:
    """Folds the run's events in its own board and shows what each means.

    `quiet`: the events are folded and nothing is shown but what `message` is given. `heartbeat` is off with `--json`.
    """

    def __init__(self, run: RunId, screen: Screen, *, quiet: bool = False, heartbeat: bool = True) -> None:
        self.board = Board(run)
        self._screen = screen
        self._quiet = quiet
        self._heartbeat = heartbeat and not quiet
        self._lines = Lines(self.board.view, screen.glyphs)
        self._merge_lines = MergeLines(self.board.view, screen.glyphs)
        self._silent_since: float | None = None
        self._over = False

    def replay(self, event: AnyEvent) -> None:
        """Take in what was shown before: the events of a run that is gone on with."""
        self.board.apply(event)

    def show(self, event: AnyEvent) -> None:
        cap = self.board.view.cap
        self.board.apply(event)
        if self._quiet:
            return
        match event:
            case RunStarted() | RunResumed():
                self._silent_since = event.at
                self._progress()
                for reading in event.readings:
                    self._unknown(reading)
            case UsageRead():
                self._unknown(event)
            case LimitSet() if self.board.view.cap != cap:
                self._screen.line(self._lines.limited(), Tone.WARNING)
            case AttemptStarted():
                self._started(event)
            case GatesEnded() if self.board.view.one_at_a_time:
                for line in self._lines.gates(event):
                    self._screen.line(line)
            case PhaseEnded():
                self._ended(event)
            case JobEnded():
                self._job_ended(event)
            case JobQueued() | MergeMade() | MergeGated() | MergeFailed() | LandingEnded():
                self._merging(event)
            case QueueHoldSet() | TargetRead() | TargetGated() | TargetRed():
                self._merging(event)
            case PublishEnded() | HandoffEnded() | TrackerWaits():
                self._silent_since = event.at
                self._screen.line(*publish_line(self.board.view, event, self._screen.glyphs))
            case LockTaken(said=str(said)):
                self._screen.line(said)
            case LockRefused(message=message):
                self._screen.line(message, Tone.WARNING)
            case StopRequested():
                self._screen.line(STOPPING, Tone.WARNING)
            case RunEnded():
                self.close()
            case _:
                pass

    @property
    def due(self) -> float | None:
        """When `tick` has something to say; None: never."""
        if self._over or not self._heartbeat or self._silent_since is None:
            return None
        return self._silent_since + HEARTBEAT

    def tick(self, now: float) -> None:
        """Say that the run goes on, when nothing was said for a while; also takes in a window's new width."""
        if self._screen.resized:
            self._progress()
        if self.due is not None and now >= self.due:
            self._screen.line(self._lines.still_running(now), Tone.FAINT)
            self._silent_since = now

    def transcript(self, job: JobKey, text: str) -> None:
        """A line of an agent's output, for `--verbose`."""
        for line in text.splitlines() or [""]:
            self._screen.line(f"{plain(self.board.view.label(job))} | {plain(line)}")

    def message(self, text: str, tone: Tone = Tone.PLAIN) -> None:
        """A line of the command's own, among the others."""
        self._screen.line(text, tone)

    def close(self) -> None:
        """Nothing more comes; the last progress line stays where it is."""
        self._over = True
        self._screen.release()

    def _unknown(self, reading: UsageRead | MachineRead | QuotaSeen) -> None:
        """WAVE-5: the user is told that nobody knows."""
        if isinstance(reading, UsageRead) and reading.unknown is not None:
            self._screen.line(plain(f"usage unknown: {reading.unknown}; the cap holds where it is"), Tone.WARNING)

    def _started(self, event: AttemptStarted) -> None:
        self._silent_since = event.at
        self._screen.line(self._lines.phase_started(event))
        if self.board.view.one_at_a_time:
            self._screen.line(self._lines.session(event, self._phase(event)), Tone.FAINT)

    def _ended(self, event: PhaseEnded) -> None:
        self._silent_since = event.at
        phase = self._phase(event)
        if phase and phase.latest:
            tone = Tone.PLAIN if event.status is PhaseStatus.PASSED else Tone.WARNING
            self._screen.line(self._lines.phase_ended(event, phase.latest), tone)
        if event.reason and self.board.view.one_at_a_time:
            self._screen.line(self._lines.phase_reason(event.reason), Tone.FAINT)

    def _merging(self, event: Shown) -> None:
        self._silent_since = event.at
        if isinstance(event, MergeGated) and self.board.view.one_at_a_time:
            for line in self._lines.gates(event):
                self._screen.line(line)
        for line, tone in self._merge_lines.of(event):
            self._screen.line(line, tone)

    def _phase(self, event: AttemptStarted | PhaseEnded) -> PhaseView | None:
        job = self.board.view.jobs.get(event.attempt.job)
        return next((phase for phase in job.phases if phase.name == event.attempt.phase), None) if job else None

    def _job_ended(self, event: JobEnded) -> None:
        job = self.board.view.jobs.get(event.job)
        if job:
            self._screen.line(self._lines.job_ended(job), _ENDED_TONES.get(event.status, Tone.PLAIN))
            self._progress()

    def _progress(self) -> None:
        if self.board.view.jobs:
            self._screen.below(progress_line(self.board.view, self._screen.glyphs, self._screen.room))
