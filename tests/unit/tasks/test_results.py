"""How tasks ended: statuses, exit codes, numbers that add up (TASK-5, TASK-7b)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.board.task_document import result_document, tasks_document
from weft.board.task_results import TaskBoard, TaskStatus, counts_of
from weft.model.events import AnyEvent, AttemptStarted, JobAdmitted, JobEnded, RunEnded, RunStarted, SessionEnded
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job, JobStatus, TaskFacts
from weft.model.outcome import Failure, SessionOutcome
from weft.model.phase import FailureClass, Phase, Pipeline, StepKind
from weft.model.plan import Mode, Plan
from weft.model.usage import Usage
from weft.terminal.glyphs import ASCII, UNICODE
from weft.terminal.tasks import output_line, running_line, table, total_line

RUN = RunId("r-1")
KEY = JobKey("place", "1")
FIRST = TaskFacts(0)
ATTEMPT = AttemptId(RUN, KEY, "task", 1)


def folded(
    status: JobStatus, outcome: SessionOutcome | None, *, stepwise: bool = False, facts: TaskFacts = FIRST
) -> TaskBoard:
    job = Job(key=KEY, title="Do it", lane="l", pipeline="p", task=facts)
    plan = Plan(
        mode=Mode.TASKS, jobs=(job,), cap=1, pipelines=(Pipeline("p", (Phase("task", (StepKind.SESSION,), "cat"),)),)
    )
    events: list[AnyEvent] = [RunStarted(at=1.0, plan=plan)]
    if outcome is not None:
        events += [JobAdmitted(at=2.0, job=KEY), AttemptStarted(at=2.5, attempt=ATTEMPT, agent="cat", model="m")]
        events += [SessionEnded(at=4.0, attempt=ATTEMPT, outcome=outcome)]
    events += [JobEnded(at=5.0, job=KEY, status=status, reason="why", detail="because"), RunEnded(at=6.0)]
    board = TaskBoard(RUN, stepwise=stepwise)
    for event in events:
        board.apply(event)
    return board


def failed(kind: FailureClass, status: int | None) -> SessionOutcome:
    return SessionOutcome(failure=Failure(kind, "no"), exit_status=status)


@pytest.mark.parametrize(
    ("ended", "outcome", "status", "code"),
    [
        (JobStatus.PASSED, SessionOutcome(exit_status=0), TaskStatus.COMPLETED, 0),
        (JobStatus.SKIPPED, None, TaskStatus.COMPLETED, 0),
        (JobStatus.FAILED, failed(FailureClass.WORK, 3), TaskStatus.FAILED, 3),
        (JobStatus.FAILED, failed(FailureClass.WORK, 0), TaskStatus.FAILED, 1),
        (JobStatus.FAILED, failed(FailureClass.SETUP, None), TaskStatus.FAILED, 1),
        (JobStatus.FAILED, failed(FailureClass.CRASHED, -11), TaskStatus.FAILED, 139),
        (JobStatus.FAILED, None, TaskStatus.FAILED, 1),
        (JobStatus.FAILED, failed(FailureClass.TIMEOUT, -15), TaskStatus.TIMED_OUT, 124),
        (JobStatus.FAILED, failed(FailureClass.TIMEOUT, 0), TaskStatus.TIMED_OUT, 124),
        (JobStatus.FAILED, failed(FailureClass.TIMEOUT, 143), TaskStatus.TIMED_OUT, 143),
        (JobStatus.CANCELLED, failed(FailureClass.KILLED, -9), TaskStatus.CANCELLED, 130),
        (JobStatus.CANCELLED, SessionOutcome(exit_status=0), TaskStatus.CANCELLED, 130),
        (JobStatus.NOT_RUN, None, TaskStatus.CANCELLED, 130),
        (JobStatus.PARKED, None, TaskStatus.SKIPPED, 130),
    ],
)
def test_statuses_and_exit_codes(
    ended: JobStatus, outcome: SessionOutcome | None, status: TaskStatus, code: int
) -> None:
    """TASK-7b: 0 exactly for success, else the process's own, else by the status."""
    [result] = folded(ended, outcome).results()
    assert (result.status, result.exit_code) == (status, code)
    assert (result.error is None) == (status is TaskStatus.COMPLETED)
    assert result.backend == "cat"


def test_steps_that_did_not_run() -> None:
    """TASK-7b: in a chain they are `not_run`."""
    [result] = folded(JobStatus.NOT_RUN, None, stepwise=True).results()
    assert result.status is TaskStatus.NOT_RUN


@given(st.lists(st.sampled_from(list(JobStatus)), max_size=20))
def test_the_numbers_add_up(statuses: list[JobStatus]) -> None:
    """TASK-5: completed + failed + cancelled = total, always."""
    results = [folded(status, None).results()[0] for status in statuses]
    counts = counts_of(results, len(results))
    assert counts.completed + counts.failed + counts.cancelled == counts.total == len(statuses)


def test_the_document_has_its_keys_in_order() -> None:
    """TASK-7, TASK-10."""
    facts = TaskFacts(3, id="i", name="n", tags=("t",), meta='{"k":1}')
    usage = Usage(1, 2, 3, 0.5, 1)
    outcome = SessionOutcome(exit_status=0, session_id="s", usage=usage)
    board = folded(JobStatus.PASSED, outcome, facts=facts)
    [result] = board.results()
    document = result_document(result, "out")
    wanted = "index id name tags meta backend model status output exit_code duration_seconds start_time end_time usage"
    assert list(document) == [*wanted.split(), "session_id"]
    assert (document["duration_seconds"], document["usage"]["cost_usd"]) == (3.0, 0.5)
    whole = tasks_document(board.board.view, counts_of([result], 1), [document])
    keys = "total_tasks completed failed cancelled total_duration_seconds start_time end_time results"
    assert list(whole) == keys.split()
    assert whole["total_duration_seconds"] == 5.0


def test_lines() -> None:
    """TASK-6: fixed texts; the first line of the output, with a sign that there is more."""
    [result] = folded(JobStatus.PASSED, SessionOutcome(exit_status=0)).results()
    assert running_line(3, 16) == "Running 3 tasks (max 16 parallel)..."
    assert output_line(result, "\n hello \x1b[31mred\nmore\n", UNICODE) == "[1] hello red…"
    assert output_line(result, "hello\n", ASCII) == "[1] hello"
    assert output_line(result, "", UNICODE) == "[1]"
    assert len(output_line(result, "x" * 500, UNICODE)) == 100
    [broken] = folded(JobStatus.FAILED, failed(FailureClass.WORK, 1)).results()
    assert output_line(broken, "said", UNICODE) == "[1] failed: because"
    assert table([result], UNICODE)[4] == "1    cat          OK       3.00s      Do it"
    assert total_line(counts_of([result, broken], 2), 3.2) == "Total: 2 tasks, 1 completed, 1 failed (3.20s)"
