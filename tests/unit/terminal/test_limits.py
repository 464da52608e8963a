"""What limits a run besides its cap, as people see it (WAVE-5, GOV-4)."""

from __future__ import annotations

import json

import msgspec
from tests.unit.board.events_builder import RUN, START, Tale
from tests.unit.terminal.test_reporter import shown

from weft.board.board import fold
from weft.board.document import status_document
from weft.board.log import log_entry
from weft.model.events import AnyEvent, LimitSet, MachineRead, RunStarted, UsageRead
from weft.model.gauges import LimitSource, MeterReading, SessionNeed
from weft.terminal.status import lever_text

USAGE, MACHINE = LimitSource.USAGE, LimitSource.MACHINE


def limit(source: LimitSource, cap: int | None, why: str = "") -> LimitSet:
    return LimitSet(at=START, source=source, cap=cap, why=why)


def test_the_smallest_limit_is_the_one_that_shows() -> None:
    """The lever's text names the cap that holds, who holds it there, and what was asked for."""
    tale = Tale("#1", "#2").add(limit(USAGE, 2, "usage 5h 66 %"), limit(MACHINE, 0, "1 MB memory free"))
    view = fold(RUN, tale.events)
    assert lever_text(view) == "cap 0 (governor: 1 MB memory free, asked for 3) · 0 in flight · 2 waiting"
    view = fold(RUN, tale.add(limit(MACHINE, None)).events)
    assert lever_text(view) == "cap 2 (governor: usage 5h 66 %, asked for 3) · 0 in flight · 2 waiting"


def test_a_limit_that_is_no_limit_is_told_where_it_has_something_to_say() -> None:
    """WAVE-5: that usage is unknown shows although the cap is whole."""
    view = fold(RUN, Tale("#1").add(limit(USAGE, None, "usage unknown: gone; the cap holds where it is")).events)
    assert lever_text(view) == "cap 3 · usage unknown: gone; the cap holds where it is · 0 in flight · 1 waiting"


def test_the_document_has_every_limit_and_the_meters() -> None:
    """`weft status --json`: the smallest first; lifted ones are left out."""
    tale = Tale("#1").add(UsageRead(at=START, meters=(MeterReading("5h", 66.0),)))
    tale.add(limit(USAGE, 2, "usage"), limit(MACHINE, 0, "memory"), limit(LimitSource.GOVERNOR, None))
    run = status_document([fold(RUN, tale.events)])["runs"][0]
    assert (run["cap"], run["cap_asked"]) == (0, 3)
    assert run["limits"] == [
        {"source": "machine", "cap": 0, "why": "memory"},
        {"source": "usage", "cap": 2, "why": "usage"},
    ]
    assert run["usage_meters"] == [{"name": "5h", "percent": 66.0}]
    json.dumps(run)


def test_lines_while_it_runs() -> None:
    """A line whenever the cap that holds changes, and none when only its reason does."""
    tale = Tale("#1", "#2").add(
        limit(USAGE, 2, "usage 5h 66 %"),
        limit(USAGE, 2, "usage 5h 67 %"),
        limit(MACHINE, 0, "1 MB memory free"),
        limit(USAGE, 1, "usage 5h 76 %"),
        limit(MACHINE, None),
        limit(USAGE, None),
    )
    assert shown(tale.events)[1:] == [
        "cap 2 of 3: usage 5h 66 %",
        "nothing new starts: 1 MB memory free",
        "cap 1 of 3: usage 5h 76 %",
        "cap 3 again",
    ]


def test_unknown_usage_is_told_at_the_start_and_later() -> None:
    """WAVE-5: the user is told, whenever it becomes unknown."""
    gone = UsageRead(at=START, unknown="`x` cannot be read")
    started, *_ = Tale("#1").events
    assert isinstance(started, RunStarted)
    events: list[AnyEvent] = [msgspec.structs.replace(started, readings=(MachineRead(at=START), gone)), gone]
    told = "usage unknown: `x` cannot be read; the cap holds where it is"
    assert shown(events)[1:] == [told, told]


def test_words_of_the_log() -> None:
    """RUN-17: with the figures."""
    read = MachineRead(
        at=START, free_memory=1_500_000_000, free_disk=10**12, load=0.51, needs=(SessionNeed("claude", 300_000_000),)
    )
    events: list[AnyEvent] = [
        UsageRead(at=START, meters=(MeterReading("5h", 62.5), MeterReading("week", 7.0))),
        UsageRead(at=START, unknown="gone"),
        read,
        MachineRead(at=START),
        limit(USAGE, 1, "usage 5h 76 %"),
        limit(MACHINE, None),
    ]
    assert [log_entry(event).text for event in events] == [
        "usage: 5h 62.5 %, week 7 %",
        "usage unknown: gone",
        "machine: 1.5 GB memory free, 1 TB disk free, load 0.5 per core, a session of claude used up to 300 MB",
        "machine: nothing could be read",
        "limited to 1 by usage: usage 5h 76 %",
        "no limit by machine",
    ]
