"""A wave that is stopped, steered and asked about from outside."""

from __future__ import annotations

import signal
from pathlib import Path

from tests.support.fleet import Fleet, statuses

from weft.model.events import JobAdmitted


def test_a_signal_ends_it_in_order(fleet: Fleet) -> None:
    """Agents of every repo are ended, the rest is not run, and the hand-off says what is missing."""
    fleet.issues("api#1", "api#2", "ui#1")
    fleet.first.does("exec", 'hold "$id"; echo x > "$id.txt"')
    started = fleet.start("M1")
    started.until(fleet.first.reached("api-1", "ui-1"))
    started.send(signal.SIGTERM)
    answer = started.wait()
    assert answer.code == 143
    assert statuses(answer) == {"api#1": "cancelled", "api#2": "not_run", "ui#1": "cancelled"}
    files = {each["repo"]: Path(each["file"]).read_text() for each in answer.document["handoffs"]}
    assert "0 of 2 issues are done" in files["api"]
    assert "- #2 Thing 2: not run" in files["api"]
    assert [shop.debris() for shop in fleet.shops.values()] == [[], []]


def test_stepping_the_cap_down_reduces_admission(fleet: Fleet) -> None:
    """WAVE-4: in a wave under way, `weft cap 1` stops nobody, and the next starts only when both have ended."""
    fleet.issues("api#1", "api#2", "ui#1", "ui#2")
    fleet.first.does("exec", 'hold "$id"; echo x > "$id.txt"')
    started = fleet.start("M1")
    started.until(fleet.first.reached("api-1", "ui-1"))
    assert fleet.first.weft("cap", "1").code == 0
    fleet.first.go("api-1")
    started.until(lambda: "end api-1" in {f"{word} {ident}" for word, ident, *_ in fleet.first.ledger()})
    assert fleet.first.weft("why", "api#2").out.startswith("api#2 ")
    assert sum(isinstance(event, JobAdmitted) for event in fleet.first.events()) == 2
    fleet.first.go("all")
    assert started.wait().code == 0
    ledger = [f"{word} {ident}" for word, ident, *_ in fleet.first.ledger()]
    assert ledger.index("end ui-1") < min(ledger.index("start api-2"), ledger.index("start ui-2"))
