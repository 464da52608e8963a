"""`weft wave run` shows its plan and asks before it starts."""

from __future__ import annotations

from tests.support.fleet import Fleet


def test_without_a_terminal_it_needs_yes(fleet: Fleet) -> None:
    """Without `--yes` and a terminal to ask on: exit 2 with the hint, and nothing is started."""
    fleet.issues("api#1")
    answer = fleet.wave("run", "M1")
    assert (answer.code, answer.out) == (2, "")
    assert "hint: `--yes` starts without asking" in answer.err
    assert not fleet.first.state.exists()


def test_no_starts_nothing(fleet: Fleet) -> None:
    """On a terminal the plan is shown first; `n` leaves everything as it was."""
    fleet.issues("api#1")
    terminal = fleet.terminal("run", "M1")
    terminal.until_shown("Start it?")
    assert "WAVE M1" in terminal.raw
    assert "CRITICAL PATH" in terminal.raw
    terminal.type("n\n")
    terminal.until_shown("Nothing was started")
    assert terminal.wait() == 0
    assert fleet.first.runs() == []
    assert fleet.first.branches() == set()


def test_yes_starts_it(fleet: Fleet) -> None:
    """`y` starts it; jobs are named with their repo, also where only one repo has any."""
    fleet.issues("api#1")
    terminal = fleet.terminal("run", "M1")
    terminal.until_shown("Start it?")
    terminal.type("y\n")
    terminal.until_shown("Issue api#1 completed")
    assert terminal.wait() == 0
