"""The merge queue's lines in a run as people follow it, in the style of phase lines (RUN-10)."""

from __future__ import annotations

from typing import TypeAlias

from weft.board.durations import whole_duration_text
from weft.board.merging import merge_phase
from weft.board.views import AttemptView, JobView, RunView
from weft.model.events import (
    JobQueued,
    LandingEnded,
    MergeFailed,
    MergeGated,
    MergeMade,
    QueueHoldSet,
    TargetGated,
    TargetRead,
    TargetRed,
)
from weft.model.ids import JobKey
from weft.terminal.glyphs import UNICODE, Glyphs
from weft.terminal.plain import plain
from weft.terminal.screen import Tone

OfJob: TypeAlias = JobQueued | MergeMade | MergeGated | TargetGated | LandingEnded | MergeFailed
OfQueue: TypeAlias = QueueHoldSet | TargetRead | TargetRed
Shown: TypeAlias = OfJob | OfQueue
Line = tuple[str, Tone]


class MergeLines:
    """Makes them from a view that has taken the event in."""

    def __init__(self, view: RunView, glyphs: Glyphs = UNICODE) -> None:
        self.view = view
        self.glyphs = glyphs

    def of(self, event: Shown) -> list[Line]:
        match event:
            case JobQueued() | MergeMade() | LandingEnded() | MergeFailed():
                lines = self._job(event)
            case MergeGated() | TargetGated():
                lines = [self._flaky(gate, event.attempt.job) for gate in event.flaky]
            case QueueHoldSet() | TargetRead() | TargetRed():
                lines = self._queue(event)
        return [(plain(text), tone) for text, tone in lines]

    def _job(self, event: JobQueued | MergeMade | LandingEnded | MergeFailed) -> list[Line]:
        job = self.view.jobs.get(event.attempt.job if isinstance(event, MergeMade | LandingEnded) else event.job)
        if job is None:
            return []
        head = f"{self.glyphs.bullet} {self.view.label(job.key)}: merge"
        match event:
            case JobQueued(ahead=ahead):
                return [(f"{head} queued" + (f" ({ahead} ahead)" if ahead else ""), Tone.PLAIN)]
            case MergeMade(commit=commit):
                first = commit is not None and len(_builds(job)) == 1
                return [(f"{head} started", Tone.PLAIN)] if first else []
            case MergeFailed():
                return [(f"{head} {self.glyphs.cross} {event.reason}; {self._after(event)}", Tone.WARNING)]
            case LandingEnded():
                return self._landing(job, head, event)

    def _landing(self, job: JobView, head: str, event: LandingEnded) -> list[Line]:
        if event.landed and job.landed == event.commit:
            builds = _builds(job)
            took = self.view.worked() - builds[0].begun if builds else 0.0
            landed = (f"{head} {self.glyphs.tick} ({whole_duration_text(max(0.0, took))})", Tone.PLAIN)
            problem = [(f"{self.glyphs.warning} {event.problem}", Tone.WARNING)] if event.problem else []
            return [landed, *problem]
        return [self._holds(job.key.repo, event.problem)] if event.problem and job.queued else []

    def _after(self, event: MergeFailed) -> str:
        queue = self.view.queues.get(event.job.repo)
        most = queue.repairs if queue else event.repair
        return f"back to its author (repair {event.repair} of {most})" if event.repair else "needs a person"

    def _flaky(self, gate: str, key: JobKey) -> Line:
        said = f"gate {gate} is flaky: it failed, then passed on the same tree"
        return f"{self.glyphs.warning} {self.view.label(key)}: {said}", Tone.WARNING

    def _queue(self, event: OfQueue) -> list[Line]:
        match event:
            case QueueHoldSet(repo=repo, held=held):
                return [(f"merge queue of {repo} {'held' if held else 'released'}", Tone.PLAIN)]
            case TargetRead(repo=repo, problem=problem):
                return [self._holds(repo, problem)] if problem else []
            case TargetRed(repo=repo, target=target, reason=reason):
                of = "" if self.view.one_repo else f" of {repo}"
                said = f"target {target}{of} is red: {reason}; the queue holds, nobody is blamed"
                hint = f"    hint: mend {target}, then `weft queue release {repo}`"
                return [(f"{self.glyphs.warning} {said}", Tone.BAD), (hint, Tone.FAINT)]

    def _holds(self, repo: str, why: str | None) -> Line:
        return f"{self.glyphs.warning} merge queue of {repo} holds: {why}", Tone.WARNING


def _builds(job: JobView) -> list[AttemptView]:
    """Since it was queued the last time."""
    phase = merge_phase(job)
    since = job.queued_at or 0.0
    return [attempt for attempt in phase.attempts if attempt.started_at >= since] if phase else []
