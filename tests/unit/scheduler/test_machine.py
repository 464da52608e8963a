"""Admission by free memory, free disk and load (GOV-4)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.scheduler.drive import Drive, job, key, plan

from weft.model.events import CapSet, MachineRead
from weft.model.gauges import SessionNeed
from weft.model.governing import MachinePlan
from weft.scheduler.readings import matters
from weft.scheduler.why import why

MB = 10**6
RULES = MachinePlan(min_free_memory=500 * MB, min_free_disk=1000 * MB, max_load=4.0)


def read(memory: int = 8000, disk: int = 9000, load: float = 1.0, in_use: int = 0, **needs: int) -> MachineRead:
    """In MB."""
    found = tuple(SessionNeed(agent, need * MB) for agent, need in needs.items())
    return MachineRead(
        at=100.0, free_memory=memory * MB, free_disk=disk * MB, load=load, in_use=in_use * MB, needs=found
    )


def some(cap: int = 3, rules: MachinePlan | None = RULES, count: int = 9) -> Drive:
    return Drive(plan(*(job(str(number)) for number in range(count)), cap=cap, width=99, machine=rules))


LINES: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any], str]] = [
    (
        {"memory": 499},
        {"memory": 549},
        {"memory": 550},
        "499 MB memory free, under machine.min_free_memory = 500 MB (and a tenth more to go on)",
    ),
    (
        {"disk": 999},
        {"disk": 1099},
        {"disk": 1100},
        "999 MB disk free, under machine.min_free_disk = 1 GB (and a tenth more to go on)",
    ),
    ({"load": 4.1}, {"load": 3.7}, {"load": 3.6}, "load 4.1 per core, over machine.max_load = 4"),
]


@pytest.mark.parametrize(("over", "near", "good", "said"), LINES, ids=["memory", "disk", "load"])
def test_over_the_line_nothing_new_starts(over: Any, near: Any, good: Any, said: str) -> None:
    """GOV-4: what runs goes on; `why` says the figures; it goes on with a tenth to spare, not before."""
    drive = some(cap=1)
    drive.do(read(**over))
    assert drive.state.in_flight == 1
    assert why(drive.state, key("1")) == f"waits for a slot: the governor allows 0 ({said}), taken by shop#0"
    drive.run("0")
    assert drive.state.in_flight == 0
    drive.do(read(**near))
    assert drive.state.in_flight == 0
    drive.do(read(**good))
    assert drive.state.in_flight == 1
    drive.do(read(**near))
    assert drive.state.effective_cap == 1, "on the way down the line itself counts"


def test_all_that_is_wrong_is_named() -> None:
    """GOV-4: the user sees why."""
    drive = some()
    drive.do(read(memory=100, load=9))
    assert "100 MB memory free" in drive.state.governor_why
    assert "load 9.0 per core" in drive.state.governor_why


def test_what_is_not_known_or_not_asked_for_stops_nothing() -> None:
    """GOV-4: a machine that cannot be read is no reason to stop."""
    drive = some()
    drive.do(MachineRead(at=100.0))
    assert drive.state.effective_cap == 3
    drive = some(rules=MachinePlan(max_load=4.0))
    drive.do(read(memory=1, disk=1, mine=900))
    assert drive.state.effective_cap == 3


@pytest.mark.parametrize(
    ("memory", "in_use", "need", "fit"),
    [
        (8000, 0, 1000, 7),
        (8000, 2000, 1000, 9),
        (1400, 0, 1000, 1),
        (2400, 0, 1000, 1),
        (2500, 0, 1000, 2),
        (1000, 1500, 1000, 2),
    ],
)
def test_as_many_sessions_as_memory_has_room_for(memory: int, in_use: int, need: int, fit: int) -> None:
    """GOV-4: free memory against what sessions were seen to need, those under way included; one may always run."""
    drive = some(cap=9)
    drive.do(read(memory=memory, in_use=in_use, mine=need))
    assert drive.state.effective_cap == fit


def test_the_hungriest_agent_counts() -> None:
    """GOV-4: which agent comes next is not known, so the room is for the greediest seen; it is named."""
    drive = some(cap=9)
    drive.do(read(memory=2500, small=10, big=1000))
    assert drive.state.effective_cap == 2
    assert drive.state.governor_why == ("2.5 GB memory free, 500 MB to be left; a session of big was seen to use 1 GB")


def test_room_does_not_flap() -> None:
    """GOV-4: one more only with a tenth of a session to spare; one less at once."""
    drive = some(cap=9)
    for memory, fit in ((2499, 1), (2500, 1), (2599, 1), (2600, 2), (2500, 2), (2499, 1)):
        drive.do(read(memory=memory, mine=1000))
        assert drive.state.effective_cap == fit, memory


def test_a_new_cap_is_limited_too() -> None:
    """WAVE-4: a cap that the machine has no room for."""
    drive = some(cap=2)
    drive.do(read(memory=2500, mine=1000))
    assert drive.state.governor_cap is None
    drive.do(CapSet(at=100.0, cap=9))
    assert drive.state.effective_cap == 2


def test_figures_alone_are_not_worth_an_entry_in_the_journal() -> None:
    """The machine is looked at every other second; only what changes admission is written down."""
    drive = some()
    assert not matters(drive.state, read())
    assert not matters(drive.state, read(memory=3000, mine=100))
    assert matters(drive.state, read(memory=499))
    drive.do(read(memory=499))
    assert not matters(drive.state, read(memory=300))
    assert matters(drive.state, read(memory=300, load=9))
    assert matters(drive.state, read())
