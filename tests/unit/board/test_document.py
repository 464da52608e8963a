"""The JSON documents, to the letter."""

from __future__ import annotations

import json

from tests.unit.board.events_builder import RUN, Tale, key

from weft.board.board import fold
from weft.board.document import run_document, status_document
from weft.errors import ExitCode
from weft.model.job import JobStatus
from weft.model.outcome import PhaseStatus
from weft.model.plan import Mode


def test_the_whole_document() -> None:
    """RUN-13: keys, their order and their values, of a run with one job passed and one failed."""
    view = fold(RUN, Tale("#101", "#102", mode=Mode.SEQUENTIAL).whole("#101", 1.5).failing("#102").over())
    phase = {"status": "passed", "attempts": 1, "duration_seconds": 1.5}
    expected = {
        "run": "r-1",
        "mode": "sequential",
        "status": "failed",
        "started_at": "2026-02-02T02:40:00.000Z",
        "ended_at": "2026-02-02T02:41:49.500Z",
        "duration_seconds": 109.5,
        "exit_code": 1,
        "jobs": [
            {
                "key": "shop#101",
                "issue": "101",
                "title": "Title 101",
                "status": "passed",
                "reason": None,
                "phases": [{"name": name, **phase} for name in ("spec", "exec", "qa")],
                "branch": "weft/101-title",
                "commit": "c-qa",
                "merged": False,
                "pull_request": None,
                "duration_seconds": 4.5,
                "usage": {
                    "input_tokens": 300,
                    "output_tokens": 30,
                    "cached_tokens": 15,
                    "cost_usd": 0.3,
                    "sessions": 3,
                },
            },
            {
                "key": "shop#102",
                "issue": "102",
                "title": "Title 102",
                "status": "failed",
                "reason": "Phase exec failed: it broke",
                "phases": [
                    {"name": "spec", "status": "passed", "attempts": 1, "duration_seconds": 60.0},
                    {"name": "exec", "status": "failed", "attempts": 1, "duration_seconds": 45.0},
                    {"name": "qa", "status": "not_run", "attempts": 0, "duration_seconds": 0.0},
                ],
                "branch": "weft/102-title",
                "commit": "c-spec",
                "merged": False,
                "pull_request": None,
                "duration_seconds": 105.0,
                "usage": {
                    "input_tokens": 200,
                    "output_tokens": 20,
                    "cached_tokens": 10,
                    "cost_usd": 0.2,
                    "sessions": 2,
                },
            },
        ],
    }
    assert json.dumps(run_document(view)) == json.dumps(expected)


def test_the_command_may_know_better() -> None:
    """The exit code printed is the one the command ends with."""
    view = fold(RUN, Tale("#1").whole("#1").over())
    assert run_document(view, ExitCode.BUDGET)["exit_code"] == 4


def test_status_adds_the_levers() -> None:
    """`weft status --json`: the same shape plus cap, paused, in_flight, waiting, and what limits the run."""
    view = fold(RUN, Tale("#1", "#2").admit("#1").begin("#1", "spec").events)
    (run,) = status_document([view], now=view.last_at + 30)["runs"]
    levers = ["cap", "paused", "in_flight", "waiting", "queued", "cap_asked", "limits", "usage_meters"]
    assert list(run)[-len(levers) :] == levers
    assert (run["cap"], run["paused"], run["in_flight"], run["waiting"]) == (3, False, 1, 1)
    assert run["status"] == "running"
    assert run["ended_at"] is run["exit_code"] is None
    assert run["duration_seconds"] == 30.0
    assert [job["status"] for job in run["jobs"]] == ["running", "waiting"]
    assert run["jobs"][0]["phases"][0] == {
        "name": "spec",
        "status": "running",
        "attempts": 1,
        "duration_seconds": 30.0,
    }


def test_every_way_to_end_keeps_its_name() -> None:
    """Job status: passed failed locked parked no_change not_run skipped cancelled."""
    names = [f"#{number}" for number in range(len(JobStatus))]
    tale = Tale(*names)
    for name, status in zip(names, JobStatus, strict=True):
        tale.end(name, status)
    statuses = [job["status"] for job in run_document(fold(RUN, tale.over()))["jobs"]]
    assert statuses == ["passed", "failed", "locked", "parked", "no_change", "not_run", "skipped", "cancelled"]


def test_a_lost_phase_says_so() -> None:
    """RECOVER-3: an attempt lost in a crash is no failure of the work."""
    tale = Tale("#1").admit("#1").begin("#1", "spec").wait(1).resume().finish("#1", "spec", PhaseStatus.LOST)
    view = fold(RUN, tale.events)
    assert run_document(view)["jobs"][0]["phases"][0]["status"] == "lost"
    assert view.jobs[key("#1")].failed_phase is None
