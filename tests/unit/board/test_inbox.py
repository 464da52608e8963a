"""What needs a person, in one place (UI-4)."""

from __future__ import annotations

from tests.unit.board.events_builder import RUN, START, Tale, key
from tests.unit.board.merge_tale import MergeTale

from weft.board.board import fold
from weft.board.inbox import InboxKind, inbox, inbox_document
from weft.board.states import PhaseState
from weft.board.views import RunView
from weft.model.answer import Answer
from weft.model.events import AnswerGiven, QuotaSeen
from weft.model.ids import RunId
from weft.model.job import JobStatus

ASKS = "asks: Which colour?"


def asking(run: str = "r-1") -> RunView:
    view = fold(RUN, Tale("#1", "#2").admit("#1").begin("#1", "spec").end("#1", JobStatus.PARKED, ASKS).over())
    view.run, view.repos = RunId(run), {"shop": "/code/shop"}
    return view


def kinds(*views: RunView, answers: tuple[Answer, ...] = (), now: float | None = None) -> list[str]:
    return [f"{item.kind.value} {item.title}" for item in inbox(views, answers, now)]


def test_a_question_says_how_to_answer_it() -> None:
    """With the reason, since when, and what can be done."""
    (item,) = inbox([asking()])
    assert (item.kind, item.job, item.reason) == (InboxKind.QUESTION, key("#1"), ASKS)
    assert item.actions == ('`weft answer shop#1 "…"`', "`weft logs r-1 shop#1`")
    (document,) = inbox_document([item])
    assert (document["kind"], document["job"], document["status"]) == ("question", "shop#1", "parked")


def test_what_was_answered_or_taken_up_again_is_off_the_list() -> None:
    """An answer that came after its end counts, an older one does not; a newer run makes it that run's matter."""
    view = asking()
    path, ended = view.repos["shop"], view.jobs[key("#1")].ended_at
    assert ended is not None
    assert kinds(view, answers=(Answer(path, "1", RUN, ended + 1, "blue"),)) == []
    assert kinds(view, answers=(Answer(path, "1", RUN, ended - 1, "blue"),)) == ["question shop#1"]
    assert kinds(view, answers=(Answer("/elsewhere", "1", RUN, ended + 1, "blue"),)) == ["question shop#1"]
    newer = fold(RUN, Tale("#1").whole("#1").over())
    newer.repos = view.repos
    assert kinds(newer, asking("r-0")) == []


def test_runs_and_queues_that_are_stuck() -> None:
    """An interrupted run, a red target."""
    assert kinds(fold(RUN, Tale("#1").admit("#1").events, alive=False)) == ["interrupted r-1"]
    tale = MergeTale("#1").queued("#1").made("#1").gated("#1", passed=False).target_red("#1")
    assert [item.kind for item in inbox([fold(RUN, tale.events)])] == [InboxKind.QUEUE]


def test_quotas_are_told_until_their_reset() -> None:
    """Of runs under way alone; nothing need be done."""
    tale = Tale("#1").admit("#1")
    tale.add(QuotaSeen(at=tale.now, account="claude", resets_at=START + 500, why="weekly limit"))
    view = fold(RUN, tale.events)
    assert kinds(view, now=START + 499) == ["quota claude"]
    assert kinds(view, now=START + 501) == []
    assert kinds(fold(RUN, tale.end("#1").over()), now=START + 499) == []


def test_an_answer_reopens_the_job_on_the_board() -> None:
    """What had passed before the phase that asked stays passed; the answer is kept with the job."""
    tale = Tale("#1", "#2").admit("#1").phase("#1", "spec").begin("#1", "exec").end("#1", JobStatus.PARKED, ASKS)
    view = fold(RUN, tale.add(AnswerGiven(at=tale.now, job=key("#1"), text="blue")).events)
    job = view.jobs[key("#1")]
    assert (job.status, job.answers) == (None, ("blue",))
    assert [phase.state for phase in job.phases[:2]] == [PhaseState.PASSED, PhaseState.NOT_RUN]
    assert kinds(view) == []
