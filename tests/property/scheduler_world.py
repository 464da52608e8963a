"""A world around the scheduler: keeps what is outstanding, answers it, and checks every step by rules of its own."""

from __future__ import annotations

from collections import Counter

from weft.model.commands import (
    CloseWorkspace,
    Command,
    PrepareWorkspace,
    ReleaseLock,
    RunGates,
    RunSession,
    StopAttempt,
    StopPreparing,
    TakeLock,
    WakeAt,
    WriteNote,
)
from weft.model.events import (
    AnswerGiven,
    CutShort,
    GatesEnded,
    Input,
    JobAdmitted,
    JobEnded,
    LockRefused,
    LockTaken,
    Note,
    PhaseEnded,
    RetryRequested,
    RunEnded,
    RunResumed,
    RunStarted,
    SessionEnded,
    TimerFired,
    WorkspaceClosed,
    WorkspaceReady,
)
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import JobStatus
from weft.model.outcome import PhaseStatus, SessionOutcome, Verdict
from weft.model.plan import LockRule, Plan
from weft.scheduler.invariants import check_invariants
from weft.scheduler.jobrun import JobRun
from weft.scheduler.ledger import Asked
from weft.scheduler.overlap import patterns_meet
from weft.scheduler.state import State
from weft.scheduler.states import HOLDS_LANE, JobState
from weft.scheduler.step import replay, step

RUN = RunId("r-1")
Work = PrepareWorkspace | RunGates | RunSession | CloseWorkspace
Subject = JobKey | AttemptId


def subject(command: Work) -> Subject:
    return command.attempt if isinstance(command, RunGates | RunSession) else command.job


class World:
    """One run: its state, its events and notes, the work ordered and not yet answered."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.state = State(RUN)
        self.now = 1000.0
        self.events: list[Input] = []
        self.notes: list[Note] = []
        self.outstanding: list[Work] = []
        self.wakes: list[float] = []
        self.locks: list[JobKey] = []
        """Asked for and not answered."""
        self.broken = False
        self._begun: set[AttemptId] = set()
        self._sessions: set[AttemptId] = set()
        self._stops: set[AttemptId] = set()
        self._over_budget: set[AttemptId] = set()
        self._released: JobKey | None = None
        self._alive = {job.key for job in plan.jobs}
        self._statuses: dict[JobKey, JobStatus] = {}
        self._touches = {job.key: set(job.touches) for job in plan.jobs}
        self._passed: dict[JobKey, set[str]] = {job.key: set() for job in plan.jobs}
        self.apply(RunStarted(at=self.now, plan=plan))

    # ------------------------------------------------------------ steps

    def apply(self, event: Input) -> list[Command]:
        """Step, then check all that must hold after it."""
        self.broken = True  # until the checks have passed
        before = {job.key: job.state for job in self.state.jobs.values()}
        self._learn(event)
        self.events.append(event)
        commands = step(self.state, event)
        for command in commands:
            self._take(command, event)
        check_invariants(self.state)
        self._check_admissions(commands, before)
        self._check_nothing_idles()
        self._check_everyone_is_answered()
        self.broken = False
        return commands

    def _learn(self, event: Input) -> None:
        """What a session that succeeded says of its job's paths counts from then on."""
        if isinstance(event, SessionEnded) and event.outcome.failure is None:
            job = self.state.jobs[event.attempt.job]
            if job.state is JobState.SESSION and job.attempt == event.attempt and job.ending is None:
                self._touches[job.key].update(event.outcome.touches)

    def answer(self, command: Work, event: Input) -> None:
        self.outstanding.remove(command)
        self.apply(event)

    def answer_lock(self, key: JobKey, *, taken: bool) -> None:
        self.locks.remove(key)
        said = (
            LockTaken(at=self.now, job=key)
            if taken
            else LockRefused(at=self.now, job=key, holder="another", message="held")
        )
        self.apply(said)

    def fire(self) -> None:
        """The next timer."""
        due = min(self.wakes)
        self.wakes.remove(due)
        self.now = max(self.now, due)
        self.apply(TimerFired(at=self.now))

    def crash(self, finished: frozenset[AttemptId], cut_short: frozenset[AttemptId] = frozenset()) -> None:
        """The process dies; another one replays the journal and goes on."""
        state, commands = replay(RUN, self.events)
        assert state.snapshot() == self.state.snapshot(), "replaying gives another state"
        redrawn = [command.note for command in commands if isinstance(command, WriteNote)]
        assert redrawn == self.notes, "replaying draws other conclusions"
        self.state = state
        self.outstanding = []
        self.wakes = []
        self.locks = []
        self._stops = set()
        self._taken_up = finished
        going_on = tuple(CutShort(attempt, "s-1") for attempt in sorted(cut_short - finished))
        self.apply(RunResumed(at=self.now, finished=tuple(sorted(finished)), cut_short=going_on))

    def open_sessions(self) -> list[AttemptId]:
        return sorted(command.attempt for command in self.outstanding if isinstance(command, RunSession))

    def drive_to_the_end(self) -> None:
        """Good answers only. A run that does not end by then never would."""
        steps = 0
        while not self.state.over:
            assert steps < 100 * (len(self.plan.jobs) + 1), "the run does not end"
            steps += 1
            if self.locks:
                self.answer_lock(self.locks[0], taken=True)
            elif self.outstanding:
                self.answer(self.outstanding[0], good_answer(self.outstanding[0], self.now))
            else:
                assert self.wakes, f"deadlock: {[job.story() for job in self.state.jobs.values()]}"
                self.fire()
        assert isinstance(self.notes[-1], RunEnded)
        assert not self.outstanding, "work outlives its run"
        assert set(self._statuses) == {job.key for job in self.plan.jobs}

    # ------------------------------------------------------------ checks

    def _take(self, command: Command, event: Input) -> None:
        match command:
            case WriteNote():
                self._take_note(command.note, event)
            case WakeAt():
                self.wakes.append(command.at)
            case StopAttempt():
                assert command.attempt not in self._stops, f"{command.attempt} is stopped twice"
                self._stops.add(command.attempt)
                if command.failure is not None:
                    self._over_budget.add(command.attempt)
            case StopPreparing():
                assert any(isinstance(one, PrepareWorkspace) and one.job == command.job for one in self.outstanding)
            case RunSession() | RunGates():
                self._take_attempt(command, event)
                self.outstanding.append(command)
            case TakeLock():
                assert command.job not in self.locks, f"the lock of {command.job} is asked for twice"
                self.locks.append(command.job)
            case ReleaseLock():
                assert self._released is None, f"{self._released} has not ended"
                self._released = command.job
            case PrepareWorkspace() | CloseWorkspace():
                self.outstanding.append(command)
            case _:
                raise AssertionError(f"nothing is merged here: {command}")

    def _take_attempt(self, command: RunGates | RunSession, event: Input) -> None:
        attempt = command.attempt
        taken_up = isinstance(event, RunResumed) and attempt in event.finished
        assert command.first == (attempt not in self._begun), f"{attempt} is announced wrongly"
        if command.first:
            assert attempt.phase not in self._passed[attempt.job], f"{attempt}: that phase has passed already"
        self._begun.add(attempt)
        if isinstance(command, RunSession):
            assert taken_up or attempt not in self._sessions, f"{attempt} is paid for twice"
            self._sessions.add(attempt)
            self._check_resumed(command)

    def _check_resumed(self, command: RunSession) -> None:
        """A session is gone on with to mend what it did, or because it was cut short (MERGE-4, RECOVER-3)."""
        phase = self.state.jobs[command.attempt.job].phase
        assert not command.interrupted or command.resume is not None
        assert command.resume is None or command.interrupted or (command.findings and phase.resumes)

    def _take_note(self, note: Note, event: Input) -> None:
        assert not any(isinstance(earlier, RunEnded) for earlier in self.notes[-1:]), f"{note} after the run's end"
        self.notes.append(note)
        assert self._released is None or isinstance(note, JobEnded)
        match note:
            case JobAdmitted():
                self._check_start(note.job, event)
            case PhaseEnded():
                self._take_phase_end(note)
            case JobEnded():
                self._take_job_end(note, event)
            case RunEnded():
                assert not self._alive or isinstance(event, RunStarted), f"the run ends before {self._alive}"

    def _check_start(self, key: JobKey, event: Input) -> None:
        if isinstance(event, RetryRequested | AnswerGiven):
            self._alive.add(key)
        assert key in self._alive, f"{key} starts after its end"
        assert not self.state.paused
        job = self.state.jobs[key].job
        assert all(self._statuses[need].done for need in job.depends_on), f"{key} starts too early"
        assert all(need in self._statuses for need in job.after), f"{key} starts too early"

    def _take_phase_end(self, note: PhaseEnded) -> None:
        passed = self._passed[note.attempt.job]
        if note.status is PhaseStatus.PASSED:
            passed.add(note.attempt.phase)
        elif note.status is PhaseStatus.FAILED:
            passed.difference_update(self._mended_again(note.attempt))

    def _mended_again(self, attempt: AttemptId) -> set[str]:
        """The phases that the quality loop goes through again."""
        phases = self.state.jobs[attempt.job].pipeline.phases
        names = [phase.name for phase in phases]
        target = phases[names.index(attempt.phase)].mends
        return set(names[names.index(target) :]) if target else set()

    def _take_job_end(self, note: JobEnded, event: Input) -> None:
        revived = isinstance(event, RetryRequested | AnswerGiven) and note.job not in self._alive
        assert revived or note.job in self._alive, f"{note.job} ends twice"
        self._alive.discard(note.job)
        assert self._released == (None if self.plan.lock is LockRule.NONE else note.job), "a lock outlives its job"
        self._released = None
        self._statuses[note.job] = note.status
        self._passed[note.job].clear()
        if note.status is JobStatus.PARKED:
            assert note.reason
            assert note.reason.startswith(("unmet dependency ", "stuck: 3 sessions of ", "asks: "))

    def _check_admissions(self, commands: list[Command], before: dict[JobKey, JobState]) -> None:
        """Never over the cap when somebody starts or comes back; the best first (WAVE-7, WAVE-9)."""
        state = self.state
        self._alive.update(job.key for job in state.jobs.values() if job.status is None)
        new = [c.note.job for c in commands if isinstance(c, WriteNote) and isinstance(c.note, JobAdmitted)]
        assert max(Counter(new).values(), default=0) <= 1
        back = [key for key, was in before.items() if was is JobState.RETURNING and state.jobs[key].has_slot]
        if new or back:
            assert state.in_flight <= state.effective_cap, "over the cap"
            assert state.stopped_by is None
        if new:
            worst = max(state.jobs[key].rank for key in new)
            better = [job for job in self._could_start() if job.rank < worst]
            assert all(self._overlaps(job) for job in better), "another was better"
            self._check_kept_apart([state.jobs[key] for key in new])

    def _check_kept_apart(self, new: list[JobRun]) -> None:
        """Who starts beside one that touches the same paths does so for want of other work (WAVE-10)."""
        together = [job.key for job in new if self._overlaps(job)]
        others = [job.key for job in self._could_start() if not self._overlaps(job)]
        assert not together or not others, f"{together} started, though {others} could have"

    def _overlaps(self, job: JobRun) -> bool:
        """Whether somebody else who has a place in a lane touches the same, as far as either has said."""
        touches = self._touches[job.key]
        at_work = [j for j in self.state.jobs.values() if j.state in HOLDS_LANE and j.key.repo == job.key.repo]
        return any(
            patterns_meet(mine, other)
            for one in at_work
            if one is not job
            for mine in touches
            for other in self._touches[one.key]
        )

    def _could_start(self) -> list[JobRun]:
        jobs = self.state.jobs.values()
        return [j for j in jobs if j.state is JobState.READY and j.lane.used < j.lane.width]

    def _check_nothing_idles(self) -> None:
        """No slot is free while a job could have it, no session while one waits for it."""
        state = self.state
        if state.in_flight < state.effective_cap and state.stopped_by is None:
            assert state.awaited_locks or not self._could_start(), "a job could start and does not"
            assert not [j.key for j in state.jobs.values() if j.state is JobState.RETURNING]
        for job in state.jobs.values():
            if job.state is JobState.AGENT_FULL:
                assert state.agents[job.phase.agent].full, f"{job.story()} waits for nothing"
            if job.state is JobState.BUDGET:
                self._check_waits_for_budget(job)
            if job.state is JobState.WAITING:
                waits = [key for key in job.job.waits_for if self.state.jobs[key].status is None]
                assert job.unmet == len(waits) + job.awaits_lock > 0, job.story()
                assert not job.awaits_lock or job.key in self.locks

    def _check_waits_for_budget(self, job: JobRun) -> None:
        """Only while others are under way, whose end wakes it."""
        ledger = self.state.ledger
        assert ledger is not None
        assert job.attempt is not None
        assert ledger.open, f"{job.story()} waits for ever"
        turned_over = any(pot.limit.begins for pot in ledger.pots)
        assert turned_over or ledger.refused(Asked(job.attempt, job.agent)), f"{job.story()} waits for nothing"

    def _check_everyone_is_answered(self) -> None:
        """What a job waits for is exactly what was ordered for it."""
        waited: Counter[tuple[type[Work], Subject]] = Counter()
        for job in self.state.jobs.values():
            match job.state:
                case JobState.PREPARING:
                    waited[PrepareWorkspace, job.key] += 1
                case JobState.CLOSING:
                    waited[CloseWorkspace, job.key] += 1
                case JobState.GATES | JobState.SESSION:
                    assert job.attempt is not None
                    kind = RunGates if job.state is JobState.GATES else RunSession
                    waited[kind, job.attempt] += 1
                    stopped = job.attempt in self._stops
                    meant = job.ending is not None or job.attempt in self._over_budget
                    assert stopped == meant or job.attempt in self._survived_a_crash()
                case JobState.BACKOFF:
                    assert job.due in self.wakes, f"{job.story()} is never woken"
        assert waited == Counter((type(command), subject(command)) for command in self.outstanding)

    def _survived_a_crash(self) -> frozenset[AttemptId]:
        """Sessions whose process had ended by itself: nothing is left to stop."""
        return getattr(self, "_taken_up", frozenset())


def good_answer(command: Work, at: float) -> Input:
    match command:
        case PrepareWorkspace():
            return WorkspaceReady(at=at, job=command.job, path="/w", branch="b", base="c0", head=command.head or "c0")
        case RunGates():
            return GatesEnded(at=at, attempt=command.attempt)
        case RunSession():
            outcome = SessionOutcome(verdict=Verdict(approved=True), commit="c1")
            return SessionEnded(at=at, attempt=command.attempt, outcome=outcome)
        case CloseWorkspace():
            return WorkspaceClosed(at=at, job=command.job, commit="c2")
