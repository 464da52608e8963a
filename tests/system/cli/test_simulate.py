"""`weft simulate`: a plan in virtual time (PLAN-2)."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.system.cli.desk import Desk


def simulated(desk: Desk, *args: str) -> Any:
    answer = desk.weft("simulate", *args, "--json")
    assert answer.code == 0, answer.err
    return json.loads(answer.out)


def test_issues_as_run_takes_them(desk: Desk) -> None:
    """PLAN-2: makespan, utilisation, peak, waiting; an unknown cost is unknown; nothing is changed."""
    answer = desk.weft("simulate", "1", "2", "3", "--cap", "2", "--estimate", "exec=20m")
    assert answer.out.startswith("SIMULATION of 3 issues · 3 jobs · 1 lane · cap 2\n")
    for line in (
        "ends after    40m 0s",
        "work          1h 0m",
        "utilisation   75% of 2 slots",
        "cost          unknown",
    ):
        assert f"\n  {line}\n" in answer.out
    assert "exec  20m 0s  as you said" in answer.out
    assert not desk.shop.state.exists()


def test_a_sweep_of_caps_says_where_more_does_not_help(desk: Desk) -> None:
    """PLAN-2: a table, the smallest cap that is enough, and why."""
    answer = desk.weft("simulate", "1", "2", "3", "--caps", "1-3,5", "--estimate", "20m")
    table = [line.split()[0] for line in answer.out.splitlines()[2:7]]
    assert table == ["cap", "1", "2", "3", "5"]
    assert "hint: a cap of 3 is enough, more is no faster: the longest path takes 20m 0s" in answer.out


def test_a_run_of_the_past_with_the_times_it_took(desk: Desk) -> None:
    """PLAN-2: its plan and durations at another cap; and its times are history for others."""
    assert desk.weft("run", "1", "2", "--quiet").code == 0
    (run,) = desk.runs()
    document = simulated(desk, run, "--cap", "1")
    assert (document["simulated"], document["jobs"]) == (f"run {run}", 2)
    assert [each["source"] for each in document["durations"]] == ["run"]
    (once,) = document["runs"]
    assert once["makespan_seconds"] == pytest.approx(once["work_seconds"])
    assert simulated(desk, "3")["durations"][0]["source"] == "history"


def test_the_document(desk: Desk) -> None:
    """For programs; a cost that nobody told is null."""
    document = simulated(desk, "1", "2", "--caps", "1,2", "--estimate", "job=60s")
    assert [(each["cap"], each["makespan_seconds"], each["peak"]) for each in document["runs"]] == [
        (1, 120.0, 1),
        (2, 60.0, 2),
    ]
    assert (document["enough_cap"], document["cost_usd"], document["sessions_of_unknown_cost"]) == (2, None, 2)
    assert document["runs"][0]["statuses"] == {"passed": 2}
    assert document["runs"][0]["lanes"][0]["waiting_seconds"] == 60.0


def test_a_timeline_in_a_file(desk: Desk) -> None:
    """PLAN-2: one self-contained SVG, a bar per job, and stdout is data alone."""
    answer = desk.weft("simulate", "1", "2", "--svg", "out.svg", "--json")
    json.loads(answer.out)
    path = desk.shop.repo.path / "out.svg"
    assert answer.err == f"The timeline with a cap of 3 is in `{path}`\n"
    tips = [title.text or "" for title in ET.parse(path).iter("{http://www.w3.org/2000/svg}title")]
    assert {tip.splitlines()[0] for tip in tips} == {"shop", "shop#1 Title 1", "shop#2 Title 2"}


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--cap", "0"), "error: Invalid --cap value: 0. Must be a positive integer."),
        (("--cap", "2", "--caps", "3"), "error: --cap and --caps exclude each other"),
        (("--caps", "4-2"), "error: Invalid --caps value: 4-2."),
        (("--caps", "1-100000"), "are too many"),
        (("--estimate", "exec=soon"), "error: Invalid --estimate value: soon."),
        (("--estimate", "exce=1m"), "error: --estimate exce=…: the plan has no such phase"),
        (("--spread", "200%"), "error: Invalid --spread value: 200%."),
        (("--svg", "no/such/folder.svg"), "cannot be written: No such file or directory"),
    ],
)
def test_what_makes_no_sense_is_refused(desk: Desk, flags: tuple[str, ...], said: str) -> None:
    """Exit 2, naming flag and value."""
    answer = desk.weft("simulate", "1", *flags)
    assert answer.code == 2
    assert said in answer.err


def test_an_unknown_issue(desk: Desk) -> None:
    """As for `weft run`."""
    answer = desk.weft("simulate", "99")
    assert answer.code == 2
    assert "error: unknown issue `99`" in answer.err
