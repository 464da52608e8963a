"""The fold: events in, views out. Everything any front end shows of a run comes from here, live or years later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from weft.board.merging import end_merging, fold_merging, leave_queue, lose_builds, plan_queues
from weft.board.publishing import end_publishing, fold_publishing
from weft.board.states import PhaseState
from weft.board.views import AttemptView, JobView, LimitView, PhaseView, QuotaView, RunView
from weft.model.events import (
    AnswerGiven,
    AnyEvent,
    AttemptStarted,
    CancelRequested,
    CapSet,
    GatesEnded,
    GovernorCapSet,
    HandoffEnded,
    JobAdmitted,
    JobEnded,
    JobPublishing,
    JobQueued,
    JobWaits,
    LandingEnded,
    LimitSet,
    MergeFailed,
    MergeGated,
    MergeMade,
    PauseSet,
    PhaseEnded,
    PublishEnded,
    QueueHoldSet,
    QueueRemoveRequested,
    QuotaSeen,
    RetryRequested,
    RunEnded,
    RunResumed,
    RunStarted,
    SessionEnded,
    StopRequested,
    TargetGated,
    TargetRead,
    TargetRed,
    UsageRead,
    UsageSeen,
    WorkspaceClosed,
    WorkspaceFailed,
    WorkspaceReady,
)
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job, JobStatus
from weft.model.outcome import PhaseStatus
from weft.model.phase import Phase, StepKind
from weft.model.plan import Mode, Plan
from weft.model.usage import NO_USAGE, Usage

_PHASE_STATES = {
    PhaseStatus.PASSED: PhaseState.PASSED,
    PhaseStatus.FAILED: PhaseState.FAILED,
    PhaseStatus.RETRYING: PhaseState.RETRYING,
    PhaseStatus.LOST: PhaseState.LOST,
    PhaseStatus.CANCELLED: PhaseState.CANCELLED,
    PhaseStatus.CONTINUED: PhaseState.CONTINUED,
}

Control: TypeAlias = CapSet | GovernorCapSet | LimitSet | UsageRead | PauseSet | StopRequested


class Board:
    """Folds one run's events, O(1) each. What it does not know it passes over: showing must never fail a run."""

    def __init__(self, run: RunId, *, alive: bool = True) -> None:
        self.view = RunView(run, alive)

    def apply(self, event: AnyEvent) -> None:
        view = self.view
        before = view.last_at
        view.last_at = max(before, event.at)
        match event:
            case RunStarted(plan=plan):
                self._start(plan, event.at)
                self._readings(event)
            case RunResumed() if view.ended_at is None:
                self._readings(event)
                view.downtime += view.last_at - before
                view.stop_signal = None
                lose_builds(view)
            case RunEnded(stopped_by=signal):
                view.ended_at = event.at
                view.stop_signal = signal
            case CapSet() | GovernorCapSet() | LimitSet() | UsageRead() | PauseSet() | StopRequested():
                self._control(event)
            case AttemptStarted() | GatesEnded() | SessionEnded() | UsageSeen() | PhaseEnded():
                self._attempt(event)
            case JobWaits(job=key) if (waits := view.jobs.get(key)) is not None:
                self._give_slot(waits)
                waits.held_until = event.until
            case JobAdmitted() | JobEnded() | RetryRequested() | WorkspaceReady() | WorkspaceFailed():
                self._job(event)
            case AnswerGiven(job=key) if (answered := view.jobs.get(key)) is not None:
                self._answer(answered, event)
            case WorkspaceClosed(job=key):
                self._closed(key, event)
            case JobQueued() | MergeFailed() | QueueRemoveRequested() | CancelRequested():
                fold_merging(view, event)
            case MergeMade() | MergeGated() | TargetGated() | LandingEnded():
                fold_merging(view, event)
            case QueueHoldSet() | TargetRead() | TargetRed():
                fold_merging(view, event)
            case QuotaSeen():
                self._quota(event)
            case JobPublishing() | PublishEnded() | HandoffEnded():
                fold_publishing(view, event)
            case _:
                pass

    def _start(self, plan: Plan, at: float) -> None:
        view = self.view
        view.mode, view.command = plan.mode, plan.command
        view.cap_asked = plan.cap
        view.repos = {repo.name: repo.path for repo in plan.repos}
        view.projects = plan.projects
        view.started_at = view.last_at = at
        view.api_calls = plan.api_calls
        models = {agent.name: agent.model for agent in plan.agents}
        phases = {line.name: line.phases for line in plan.pipelines}
        view.jobs = {job.key: _fresh(job, phases.get(job.pipeline, ()), models) for job in plan.jobs}
        plan_queues(view, plan)
        one_repo = len({job.key.repo for job in plan.jobs}) <= 1
        view.one_repo = one_repo and plan.mode is not Mode.WAVE and not plan.projects

    def _readings(self, event: RunStarted | RunResumed) -> None:
        for reading in event.readings:
            match reading:
                case UsageRead():
                    self._control(reading)
                case QuotaSeen():
                    self._quota(reading)

    def _quota(self, event: QuotaSeen) -> None:
        self.view.quotas[event.account] = QuotaView(event.at, event.resets_at, event.why)

    def _control(self, event: Control) -> None:
        view = self.view
        match event:
            case CapSet(cap=cap):
                view.cap_asked = cap
            case GovernorCapSet(cap=limit, why=why, source=source) | LimitSet(cap=limit, why=why, source=source):
                view.limits[source] = LimitView(limit, why)
            case UsageRead(meters=meters):
                view.meters = meters
            case PauseSet(paused=paused):
                view.paused = paused
            case StopRequested(signal=signal):
                view.stop_signal = signal

    def _job(self, event: JobAdmitted | JobEnded | RetryRequested | WorkspaceReady | WorkspaceFailed) -> None:
        job = self.view.jobs.get(event.job)
        if job is None:
            return
        match event:
            case JobAdmitted():
                self._take_slot(job, event.at)
            case RetryRequested():
                self._retry(job)
            case WorkspaceReady():
                if job.begun is None or job.status is not None or event.at < (job.retry_at or 0.0):
                    return  # told again, too late: nobody waits for it
                self._take_slot(job, event.at)
                job.workspace = event.path
                job.branch = event.branch or job.branch
                job.saved = _joined(job.saved, event.saved)
            case WorkspaceFailed():
                job.saved = _joined(job.saved, event.saved)
            case JobEnded():
                self._end(job, event)

    def _retry(self, job: JobView) -> None:
        """As the scheduler does: those that were parked because of it, before they began, wait again too."""
        over = self.view.ended_at is not None or self.view.stop_signal is not None
        if over or job.status is None or job.status.done:
            return
        blocked = self._blocked()
        found = [job]
        for one in found:  # grows while it is walked
            self._reopen(one)
            found.extend(blocked.pop(f"unmet dependency {one.key}", ()))

    def _answer(self, job: JobView, event: AnswerGiven) -> None:
        """As the scheduler does: what had passed before the phase that had the trouble need not run again."""
        if job.status not in (JobStatus.PARKED, JobStatus.FAILED):
            return
        passed = [phase for phase in job.phases if phase.state is PhaseState.PASSED and phase is not job.current]
        self._retry(job)
        if job.status is None:
            job.answers = (*job.answers, event.text)
            for phase in passed:
                phase.state = PhaseState.PASSED

    def _blocked(self) -> dict[str, list[JobView]]:
        """Jobs that ended before they began, by the one job that each depends on."""
        blocked: dict[str, list[JobView]] = {}
        for job in self.view.jobs.values():
            if job.begun is not None or job.status is None:
                continue
            if job.blocked_by is not None:
                blocked.setdefault(f"unmet dependency {job.blocked_by}", []).append(job)
            elif job.status is JobStatus.PARKED and job.reason:  # as older journals have it
                blocked.setdefault(job.reason, []).append(job)
        return blocked

    def _take_slot(self, job: JobView, at: float) -> None:
        if job.status is not None:
            self._reopen(job)
        if job.begun is None:
            job.started_at, job.begun = at, self._worked()
        job.in_flight = True
        job.held_until = None
        leave_queue(self.view, job)
        self.view.running[job.key] = job

    def _give_slot(self, job: JobView) -> None:
        job.in_flight = False
        self.view.running.pop(job.key, None)

    def _reopen(self, job: JobView) -> None:
        """The job is to be tried again from its first phase; what was tried before stays counted."""
        self._uncount(job)
        job.status = job.reason = job.detail = job.failed_phase = job.current = job.short_of = job.blocked_by = None
        job.started_at = job.ended_at = job.begun = job.duration = None
        job.landed, job.repairs = None, 0
        for phase in job.phases:
            phase.state = PhaseState.NOT_RUN

    def _uncount(self, job: JobView) -> None:
        if job.status is None:
            return
        left = self.view.counts[job.status] - 1
        self.view.counts[job.status] = left
        if not left:
            del self.view.counts[job.status]

    def _end(self, job: JobView, event: JobEnded) -> None:
        self._uncount(job)
        self._give_slot(job)
        job.held_until = None
        job.status, job.reason, job.detail = event.status, event.reason, event.detail
        job.short_of, job.blocked_by = event.short_of, event.blocked_by
        if event.status.done:
            # Of the others the branch exists only where a workspace was made, which then told it.
            job.branch = event.branch or job.branch
        job.commit = event.commit or job.commit
        job.landed = event.landed or job.landed
        end_merging(self.view, job)
        end_publishing(self.view, job, event)
        job.ended_at = event.at
        job.duration = job.elapsed(self._worked())
        self.view.counts[event.status] = self.view.counts.get(event.status, 0) + 1
        if event.status in (JobStatus.PASSED, JobStatus.SKIPPED):
            job.failed_phase = None

    def _closed(self, key: JobKey, event: WorkspaceClosed) -> None:
        job = self.view.jobs.get(key)
        if job is None:
            return
        job.workspace = event.kept
        job.saved = _joined(job.saved, event.saved)
        job.commit = event.commit or job.commit
        job.problem = event.problem

    def _attempt(self, event: AttemptStarted | GatesEnded | SessionEnded | UsageSeen | PhaseEnded) -> None:
        job = self.view.jobs.get(event.attempt.job)
        if job is None:
            return
        phase = _phase(job, event.attempt.phase)
        match event:
            case AttemptStarted():
                self._begin(job, phase, event)
            case GatesEnded() | SessionEnded():
                self._step_ended(job, phase, event)
            case UsageSeen(usage=usage):
                self._find(phase, event.attempt, event.at).seen = usage
            case PhaseEnded():
                self._finish(job, phase, event)

    def _step_ended(self, job: JobView, phase: PhaseView, event: GatesEnded | SessionEnded) -> None:
        attempt = self._find(phase, event.attempt, event.at)
        if attempt.status is not None:
            return  # too late: the attempt is over
        match event:
            case GatesEnded(results=results, failure=failure):
                attempt.gates, attempt.failure = results, failure or attempt.failure
            case SessionEnded(outcome=outcome):
                attempt.failure = outcome.failure
                attempt.agent = event.agent or attempt.agent
                attempt.seen = NO_USAGE
                job.commit = outcome.commit or job.commit
                job.saved = _joined(job.saved, outcome.saved)
                self._spend(job, attempt, outcome.usage)

    def _begin(self, job: JobView, phase: PhaseView, event: AttemptStarted) -> None:
        attempt = self._find(phase, event.attempt, event.at)
        if job.status is not None or attempt.status is not None:
            return  # too late
        self._take_slot(job, event.at)
        attempt.agent, attempt.model = event.agent, event.model
        phase.state = PhaseState.RUNNING
        job.current = phase
        if job.failed_phase == phase.name:
            job.failed_phase = None

    def _find(self, phase: PhaseView, ident: AttemptId, at: float) -> AttemptView:
        """The attempt of that number, almost always the latest; made where its start was not seen."""
        for attempt in reversed(phase.attempts):
            if attempt.number == ident.number:
                return attempt
        phase.attempts.append(AttemptView(ident.number, at, self._worked()))
        return phase.attempts[-1]

    def _spend(self, job: JobView, attempt: AttemptView, usage: Usage) -> None:
        attempt.usage += usage
        job.usage += usage
        self.view.usage += usage

    def _finish(self, job: JobView, phase: PhaseView, event: PhaseEnded) -> None:
        attempt = self._find(phase, event.attempt, event.at)
        attempt.status, attempt.reason, attempt.retry_at = event.status, event.reason, event.retry_at
        attempt.duration = max(0.0, self._worked() - attempt.begun)
        if attempt.seen != NO_USAGE:  # its end was never told: what was heard of it was paid for
            self._spend(job, attempt, replace(attempt.seen, sessions=1))
            attempt.seen = NO_USAGE
        phase.state = _PHASE_STATES[event.status]
        job.current = phase
        if event.status is PhaseStatus.FAILED:
            job.failed_phase = phase.name
        if event.status is PhaseStatus.RETRYING and event.retry_at is not None:
            self._give_slot(job)

    def _worked(self) -> float:
        return self.view.last_at - self.view.downtime


def fold(run: RunId, events: Iterable[AnyEvent], *, alive: bool = True) -> RunView:
    """A run's view from its journal. `alive`: whether a process has it; an unended run without one is interrupted."""
    board = Board(run, alive=alive)
    for event in events:
        board.apply(event)
    return board.view


def _fresh(job: Job, phases: tuple[Phase, ...], models: Mapping[str, str | None]) -> JobView:
    return JobView(job, [_planned(phase, models) for phase in phases])


def _planned(phase: Phase, models: Mapping[str, str | None]) -> PhaseView:
    if StepKind.SESSION not in phase.steps:
        return PhaseView(phase.name)
    return PhaseView(phase.name, agent=phase.agent or None, model=phase.model or models.get(phase.agent))


def _phase(job: JobView, name: str) -> PhaseView:
    for phase in job.phases:
        if phase.name == name:
            return phase
    phase = PhaseView(name)
    job.phases.append(phase)
    return phase


def _joined(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    return (*old, *(ref for ref in new if ref not in old))
