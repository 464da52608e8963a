"""The scheduler under everything that can happen to it, in any order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from tests.property.plans import plans
from tests.property.scheduler_world import RUN, Subject, Work, World, good_answer, subject

from weft.model.commands import CloseWorkspace, PrepareWorkspace, RunGates, RunSession
from weft.model.events import (
    AnswerGiven,
    AttemptStarted,
    CancelRequested,
    CapSet,
    GatesEnded,
    GovernorCapSet,
    Input,
    MachineRead,
    PauseSet,
    RetryRequested,
    RunResumed,
    SessionEnded,
    StopRequested,
    TimerFired,
    UsageRead,
    UsageSeen,
    WorkspaceClosed,
    WorkspaceFailed,
)
from weft.model.gauges import MeterReading, SessionNeed
from weft.model.ids import AttemptId, JobKey
from weft.model.outcome import Failure, GateResult, SessionOutcome, Verdict
from weft.model.phase import FailureClass
from weft.model.plan import Plan
from weft.model.usage import Usage

failures = st.builds(
    Failure,
    kind=st.sampled_from(list(FailureClass)),
    message=st.just("it said no"),
    resets_at=st.sampled_from([None, 1003.0, 1100.0]),
)
verdicts = st.sampled_from([None, Verdict(True), Verdict(False), Verdict(False, ("wrong",))])
usages = st.builds(
    Usage,
    input_tokens=st.sampled_from([0, 1, 5, 30]),
    cost_usd=st.sampled_from([None, 0.0, 0.5, 4.0]),
    sessions=st.sampled_from([1, 1, 1, 0]),
)
outcomes = st.builds(
    SessionOutcome,
    failure=st.one_of(st.none(), st.none(), failures),
    verdict=verdicts,
    commit=st.sampled_from([None, "c3"]),
    session_id=st.sampled_from([None, "s-1", "s-2"]),
    changed=st.booleans(),
    touches=st.sampled_from([(), (), ("src/a.py",), ("docs/x.md",)]),
    empty=st.sampled_from([False, False, False, True]),
    usage=usages,
)
gate_results = st.sampled_from(
    [(), (GateResult("test", "make test", True, 0, 1.0),), (GateResult("test", "make test", False, 2, 1.0, "boom"),)]
)


def usage_read(at: float, percent: float | None) -> UsageRead:
    """None: not readable."""
    if percent is None:
        return UsageRead(at=at, unknown="no such file")
    return UsageRead(at=at, meters=(MeterReading("5h", percent),))


def machine_read(at: float, free: int | None) -> MachineRead:
    """Of memory, where a session needs 100 and 50 are to be left."""
    return MachineRead(at=at, free_memory=free, needs=(SessionNeed("one", 100),))


levers: st.SearchStrategy[Callable[[float], Input]] = st.one_of(
    st.builds(lambda cap: lambda at: CapSet(at=at, cap=cap), st.integers(1, 5)),
    st.builds(
        lambda cap: lambda at: GovernorCapSet(at=at, cap=cap, why="usage"), st.sampled_from([None, None, 0, 1, 3])
    ),
    st.builds(lambda on: lambda at: PauseSet(at=at, paused=on), st.sampled_from([True, False, False])),
    st.builds(lambda percent: lambda at: usage_read(at, percent), st.sampled_from([None, 10, 62, 66, 76, 90])),
    st.builds(lambda free: lambda at: machine_read(at, free), st.sampled_from([None, 10, 52, 300, 900])),
)
problems = st.sampled_from([None, None, "disk full"])


class SchedulerMachine(RuleBasedStateMachine):
    """Rules are what the world does; `World` checks what comes of it (RUN-3 to 5, WAVE-1 to 4, 7, 9, 10)."""

    world: World | None = None

    @initialize(plan=plans())
    def start(self, plan: Plan) -> None:
        self.answered: list[tuple[type[Work], Subject, Input]] = []
        self.world = World(plan)

    @precondition(lambda self: not self._under_way())
    @rule(plan=plans())
    def start_another(self, plan: Plan) -> None:
        self.teardown()
        self.start(plan)

    @property
    def running(self) -> World:
        assert self.world is not None
        self.world.now += 1.0
        return self.world

    def _under_way(self) -> bool:
        return self.world is not None and not self.world.state.over

    def _seldom(self, *kinds: type[Input]) -> bool:
        """Disturbances stay rarer than work, or little work would be there to disturb."""
        assert self.world is not None
        events = self.world.events
        if not (self.world.outstanding or self.world.wakes or self.world.locks):
            return True  # a cap of 0 or a pause holds everything up: only a disturbance can move it
        return 8 * sum(1 for event in events if isinstance(event, kinds)) <= len(events)

    def _outstanding(self) -> bool:
        return self.world is not None and bool(self.world.outstanding)

    def _sleeping(self) -> bool:
        return self.world is not None and bool(self.world.wakes)

    def _answer(self, command: Work, event: Input) -> None:
        self.answered.append((type(command), subject(command), event))
        assert self.world is not None
        self.world.answer(command, event)

    @precondition(_outstanding)
    @rule(data=st.data(), times=st.integers(1, 8))
    def answer_well(self, data: st.DataObject, times: int) -> None:
        world = self.running
        for _ in range(times):
            if world.outstanding:
                self._answer_one_well(world, data.draw(st.sampled_from(world.outstanding)))

    def _answer_one_well(self, world: World, command: Work) -> None:
        if isinstance(command, RunGates | RunSession) and command.first:
            world.apply(AttemptStarted(at=world.now, attempt=command.attempt))
        self._answer(command, good_answer(command, world.now))

    @precondition(_outstanding)
    @rule()
    def make_all_workspaces(self) -> None:
        """So that many jobs are in the middle of their work."""
        world = self.running
        for command in [one for one in world.outstanding if isinstance(one, PrepareWorkspace)]:
            self._answer(command, good_answer(command, world.now))

    @precondition(_outstanding)
    @rule(data=st.data())
    def answer_somehow(self, data: st.DataObject) -> None:
        world = self.running
        command = data.draw(st.sampled_from(world.outstanding))
        self._answer(command, data.draw(any_answer(command, world.now)))

    @precondition(lambda self: self._under_way() and self.answered)
    @rule(data=st.data())
    def answer_again(self, data: st.DataObject) -> None:
        """An answer that nobody waits for any more changes nothing."""
        world = self.running
        kind, about, event = data.draw(st.sampled_from(self.answered))
        if any((type(command), subject(command)) == (kind, about) for command in world.outstanding):
            return
        before = world.state.snapshot()
        assert world.apply(event) == []
        assert world.state.snapshot() == before

    @precondition(lambda self: self.world is not None and self.world.locks)
    @rule(data=st.data(), taken=st.sampled_from([True, True, True, False]))
    def answer_locks(self, data: st.DataObject, taken: bool) -> None:
        world = self.running
        world.answer_lock(data.draw(st.sampled_from(world.locks)), taken=taken)
        while taken and world.locks:
            world.answer_lock(world.locks[0], taken=True)

    @precondition(lambda self: self._under_way() and self._seldom(UsageSeen))
    @rule(data=st.data(), usage=usages, others=st.sampled_from([(), (("budget.x", 2.0),)]))
    def hear_of_usage(self, data: st.DataObject, usage: Usage, others: tuple[tuple[str, float], ...]) -> None:
        """Of a session under way, or of one that is not."""
        world = self.running
        job = world.state.jobs[data.draw(st.sampled_from(sorted(world.state.jobs)))]
        attempt = job.attempt or AttemptId(RUN, job.key, job.phase.name, 1)
        world.apply(UsageSeen(at=world.now, attempt=attempt, usage=usage, elsewhere=others))

    @precondition(_sleeping)
    @rule()
    def fire(self) -> None:
        self.running.fire()

    @precondition(_sleeping)
    @rule(ahead=st.sampled_from([-5.0, 0.0, 2.0, 50.0]))
    def fire_for_nothing(self, ahead: float) -> None:
        """A timer that comes too early, or after the clock jumped."""
        world = self.running
        world.apply(TimerFired(at=world.now + ahead))
        world.now = max(world.now, world.now + ahead)

    @precondition(
        lambda self: self._under_way() and self._seldom(CapSet, GovernorCapSet, PauseSet, UsageRead, MachineRead)
    )
    @rule(lever=levers)
    def pull_the_lever(self, lever: Callable[[float], Input]) -> None:
        world = self.running
        world.apply(lever(world.now))

    @precondition(lambda self: self._under_way() and self._seldom(CancelRequested))
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        world = self.running
        world.apply(CancelRequested(at=world.now, job=data.draw(st.sampled_from(sorted(world.state.jobs)))))

    @precondition(lambda self: self._under_way() and self._ended())
    @rule(data=st.data())
    def retry(self, data: st.DataObject) -> None:
        world = self.running
        world.apply(RetryRequested(at=world.now, job=data.draw(st.sampled_from(self._ended()))))

    @precondition(lambda self: self._under_way() and self._ended())
    @rule(data=st.data())
    def answer_a_person(self, data: st.DataObject) -> None:
        """`weft answer`, of jobs that are stuck and of others."""
        world = self.running
        world.apply(AnswerGiven(at=world.now, job=data.draw(st.sampled_from(self._ended())), text="blue"))

    def _ended(self) -> list[JobKey]:
        assert self.world is not None
        return [job.key for job in self.world.state.jobs.values() if job.status is not None]

    @precondition(lambda self: self._under_way() and len(self.world.events) > 40)
    @rule(signal=st.sampled_from([2, 15]))
    def stop(self, signal: int) -> None:
        self.running.apply(StopRequested(at=self.running.now, signal=signal))

    @precondition(lambda self: self._under_way() and self._seldom(RunResumed))
    @rule(data=st.data())
    def crash(self, data: st.DataObject) -> None:
        world = self.running
        some = st.frozensets(st.sampled_from(sessions)) if (sessions := world.open_sessions()) else st.just(frozenset())
        world.crash(data.draw(some), data.draw(some))

    def teardown(self) -> None:
        """Whatever happened: with good answers from now on, every run ends."""
        world = self.world
        if world is None or world.broken:
            return
        world.apply(PauseSet(at=world.now, paused=False))
        world.apply(GovernorCapSet(at=world.now, cap=None))
        world.apply(usage_read(world.now, 0))
        world.apply(machine_read(world.now, None))
        world.drive_to_the_end()


def any_answer(command: Work, at: float) -> st.SearchStrategy[Input]:
    """Good ones and bad ones."""
    match command:
        case PrepareWorkspace():
            bad: Input = WorkspaceFailed(at=at, job=command.job, reason="no space")
            locked = WorkspaceFailed(at=at, job=command.job, reason="locked", locked_by="another")
            return st.sampled_from([good_answer(command, at), bad, locked])
        case RunGates():
            return st.one_of(
                st.builds(GatesEnded, at=st.just(at), attempt=st.just(command.attempt), results=gate_results),
                st.builds(GatesEnded, at=st.just(at), attempt=st.just(command.attempt), failure=failures),
            )
        case RunSession():
            return st.builds(SessionEnded, at=st.just(at), attempt=st.just(command.attempt), outcome=outcomes)
        case CloseWorkspace():
            return st.builds(WorkspaceClosed, at=st.just(at), job=st.just(command.job), problem=problems)


_ANY = list(HealthCheck)


@pytest.mark.timeout(900)
class TestSchedulerMachine(SchedulerMachine.TestCase):  # type: ignore[valid-type, misc]
    """Every invariant after every step (WAVE-7, RECOVER-1)."""

    settings = settings(max_examples=150, stateful_step_count=50, deadline=None, suppress_health_check=_ANY)


@pytest.mark.full
@pytest.mark.timeout(1800)
class TestSchedulerMachineDeeply(SchedulerMachine.TestCase):  # type: ignore[valid-type, misc]
    """The same, for much longer."""

    settings = settings(max_examples=2000, stateful_step_count=80, deadline=None, suppress_health_check=_ANY)
