"""`weft simulate` of a wave (PLAN-2)."""

from __future__ import annotations

from tests.support.answer import Answer
from tests.support.fleet import Fleet


def simulate(fleet: Fleet, *args: str) -> Answer:
    answer = fleet.first.weft("simulate", *args, cwd=fleet.folder)
    assert answer.code == 0, answer.err
    return answer


def test_a_milestone(fleet: Fleet) -> None:
    """Lanes, dependencies and the merge queue, as the wave would run; nothing is changed."""
    fleet.issues("api#1", "api#2", "ui#1", ui_1="depends_on: [api#2]")
    answer = simulate(fleet, "M1", "--estimate", "10m", "--estimate", "gates=5m")
    assert answer.out.startswith("SIMULATION of wave M1 · 3 jobs · 2 lanes · cap 2\n")
    assert "\n  ends after    30m 0s\n" in answer.out
    assert "gates  5m 0s   as you said  merging in api, ui" in answer.out
    assert not fleet.first.state.exists()


def test_a_plan_file_and_its_estimates(fleet: Fleet) -> None:
    """What the file says of a job counts before what is assumed."""
    fleet.issues("api#1", "ui#1")
    text = 'name = "both"\n[[jobs]]\nrepo = "api"\nissue = 1\nestimate = "1h"\n[[jobs]]\nrepo = "ui"\nissue = 1\n'
    (fleet.folder / "both.toml").write_text(text)
    document = simulate(fleet, "both.toml", "--json").document
    sources = {(time["source"], time["seconds"]) for time in document["durations"]}
    assert sources == {("said", 3600.0), ("assumed", 600.0)}
    assert document["simulated"] == "wave both"
