"""`weft cap`, `pause`, `resume`, `cancel`, `retry`: asked of a run that another process has (WAVE-4)."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.system.cli.conftest import Weft
from tests.system.cli.runs import Written, key, plan, under_way, write


def test_the_cap_is_a_lever(weft: Weft, state: Path, folder: Path) -> None:
    """WAVE-4: the cap acts on the run under way, down and up; what runs is not stopped."""
    with under_way(state, "r-live", plan("1", "2", "3", path=folder, cap=2)):
        answer = weft("cap", "1")
        assert (answer.code, answer.out) == (
            0,
            "r-live: the cap is 1 now (cap 1 · 2 in flight · 1 waiting)\n",
        )
        raised = json.loads(weft("cap", "3", "--json").out)
        assert (raised["run"], raised["cap"], raised["paused"]) == ("r-live", 3, False)


def test_pausing_and_resuming(weft: Weft, state: Path, folder: Path) -> None:
    """WAVE-4: `pause` starts nothing new, `resume` lifts the pause alone: the cap stays."""
    with under_way(state, "r-live", plan("1", "2", path=folder, cap=1)):
        assert "paused: nothing new starts" in weft("pause").out
        assert json.loads(weft("status", "--json").out)["runs"][0]["paused"] is True
        lifted = json.loads(weft("resume", "--json").out)
        assert (lifted["paused"], lifted["cap"]) == (False, 1)


def test_cancelling_a_job_and_trying_it_again(weft: Weft, state: Path, folder: Path) -> None:
    """A cancelled job ends alone; `retry` runs it again in the same run."""
    with under_way(state, "r-live", plan("1", "2", path=folder)):
        answer = weft("cancel", "#2", "--json")
        assert json.loads(answer.out)["job"] == "shop#2"
        _wait_for(weft, "2", "cancelled")
        assert weft("cancel", "2").err.startswith("error: shop#2 has ended already: cancelled")
        assert "shop#2 is tried again" in weft("retry", "2").out
        _wait_for(weft, "2", "running")
        assert _job(weft, "1")["status"] == "running"


def test_a_job_that_runs_or_passed_is_not_tried_again(weft: Weft, state: Path, folder: Path) -> None:
    """`retry` of a job that has not ended is exit 2, and says how it stands."""
    with under_way(state, "r-live", plan("1", path=folder)):
        answer = weft("retry", "1")
    assert (answer.code, answer.err.splitlines()[0]) == (2, "error: shop#1 has not ended: running")


@pytest.mark.parametrize("command", [("cap", "2"), ("pause",), ("resume",), ("cancel", "1"), ("retry", "1")])
def test_without_a_run_under_way(weft: Weft, state: Path, folder: Path, command: tuple[str, ...]) -> None:
    """WAVE-4: no run under way is exit 2 with what to do; so are ended and dead runs named by `--run`."""
    assert weft(*command).err.splitlines()[0] == "error: No run is under way"
    ended = Written("r-ended", plan("1", path=folder)).passes(key("1")).over()
    write(state, ended, Written("r-dead", plan("1", path=folder)).begins(key("1")))
    for args, message in (
        ((), "error: No run is under way"),
        (("--run", "r-ended"), "error: Run r-ended has ended"),
        (("--run", "r-dead"), "error: Run r-dead was interrupted: no process has it"),
        (("--run", "r-none"), "error: Unknown run `r-none`"),
    ):
        answer = weft(*command, *args)
        assert (answer.code, answer.out) == (2, "")
        assert answer.err.startswith(message)
        assert "hint: " in answer.err


@pytest.mark.parametrize("command", [("cap", "2"), ("pause",), ("resume",), ("cancel", "1"), ("retry", "1")])
def test_with_several_runs_under_way(weft: Weft, state: Path, folder: Path, command: tuple[str, ...]) -> None:
    """WAVE-4: with several and no `--run` they are listed, exit 2, and nothing changes."""
    with ExitStack() as runs:
        for run in ("r-one", "r-two"):
            runs.enter_context(under_way(state, run, plan("1", path=folder)))
        answer = weft(*command)
        assert answer.code == 2
        assert "r-one" in answer.err
        assert "r-two" in answer.err
        assert f"hint: `weft {' '.join(command)} --run r-two`" in answer.err
        assert weft("cap", "7", "--run", "r-one", "--json").code == 0
        caps = {run["run"]: run["cap"] for run in json.loads(weft("status", "--json").out)["runs"]}
    assert caps == {"r-one": 7, "r-two": 3}


@pytest.mark.parametrize("value", ["0", "-1", "abc", "1.5", "", "99999999999999999999"])
def test_a_bad_cap_is_refused(weft: Weft, value: str) -> None:
    """WAVE-4: what is not a positive integer is exit 2, with the value."""
    answer = weft("cap", value)
    assert answer.code == 2
    assert answer.err.splitlines()[0] == f"error: Invalid cap value: {value}. Must be a positive integer."


def test_an_unknown_job_is_refused_with_the_known_ones(weft: Weft, state: Path, folder: Path) -> None:
    """`cancel` and `retry` of an unknown job are exit 2 and name those there are."""
    with under_way(state, "r-live", plan("1", "2", path=folder)):
        for command in ("cancel", "retry"):
            answer = weft(command, "9")
            assert answer.code == 2
            assert "its jobs are `shop#1`, `shop#2`" in answer.err


def _job(weft: Weft, ident: str) -> dict[str, object]:
    jobs: list[dict[str, object]] = json.loads(weft("report", "--json").out)["jobs"]
    return next(job for job in jobs if job["issue"] == ident)


def _wait_for(weft: Weft, ident: str, status: str) -> None:
    """The run's own loop works on in its thread; the test's timeout bounds this."""
    while _job(weft, ident)["status"] != status:
        pass
