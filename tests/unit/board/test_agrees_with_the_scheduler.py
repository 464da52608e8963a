"""The board beside the scheduler, under everything that can happen to a run: both must see the same."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import initialize, invariant
from tests.property.plans import plans
from tests.property.scheduler_world import RUN, World
from tests.property.test_scheduler_machine import SchedulerMachine

from weft.board.board import Board, fold
from weft.board.document import run_document
from weft.model.commands import Command, WriteNote
from weft.model.events import AnyEvent, Input
from weft.model.plan import Plan


class Watched(World):
    """Writes what a journal would hold, and folds it as it comes."""

    def __init__(self, plan: Plan) -> None:
        self.board = Board(RUN)
        self.journal: list[AnyEvent] = []
        super().__init__(plan)

    def apply(self, event: Input) -> list[Command]:
        commands = super().apply(event)
        notes = [command.note for command in commands if isinstance(command, WriteNote)]
        for written in (event, *notes):
            self.journal.append(written)
            self.board.apply(written)
        return commands


class BoardMachine(SchedulerMachine):
    @initialize(plan=plans())
    def start(self, plan: Plan) -> None:
        super().start(plan)
        self.watched = self.world = Watched(plan)

    @invariant()
    def agrees(self) -> None:
        """How each job ended, what is in flight at least, and the levers."""
        if self.world is None:
            return
        state, view = self.watched.state, self.watched.board.view
        assert {key: job.status for key, job in view.jobs.items()} == {k: j.status for k, j in state.jobs.items()}
        assert (view.cap_asked, view.cap_governor, view.paused) == (state.cap, state.governor_cap, state.paused)
        assert (view.ended_at is not None) == state.over
        assert view.in_flight <= state.in_flight, "what came back from a retry shows with its workspace"
        assert set(view.running) <= {key for key, job in state.jobs.items() if job.has_slot}
        assert view.in_flight + view.waiting + len(view.queued) + view.ended == len(view.jobs)

    def teardown(self) -> None:
        """Folding the journal afresh gives the same as having watched."""
        super().teardown()
        if self.world is not None and not self.world.broken:
            again = fold(RUN, self.watched.journal)
            assert again == self.watched.board.view
            assert run_document(again) == run_document(self.watched.board.view)


_ANY = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


class TestBoardMachine(BoardMachine.TestCase):  # type: ignore[valid-type, misc]
    """RECOVER-1: status and documents come from the journal alone, at any moment of any run."""

    settings = settings(max_examples=80, stateful_step_count=30, deadline=None, suppress_health_check=_ANY)


@pytest.mark.full
@pytest.mark.timeout(1800)
class TestBoardMachineDeeply(BoardMachine.TestCase):  # type: ignore[valid-type, misc]
    """The same, for much longer."""

    settings = settings(max_examples=2000, stateful_step_count=40, deadline=None, suppress_health_check=_ANY)
