"""Usage and the machine limit a real run under way; the user sees why (WAVE-5, GOV-4)."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.shop import Shop

from weft.model.events import JobAdmitted, JobEnded, LimitSet, RunResumed, UsageRead


class Governed(Shop):
    """Issues whose agents stand still until told, and a meter in a file that the test writes."""

    @property
    def meter(self) -> Path:
        return self.root / "usage.json"

    def govern(self, more: str) -> None:
        self.settings(more=more)
        self.issues(*"123456")
        self.does("exec", 'hold "$id"; echo x > "$id.txt"')

    def turn(self, percent: float) -> None:
        """As a careful program writes it: never half."""
        new = self.meter.with_suffix(".new")
        new.write_text(json.dumps({"meters": [{"name": "week", "percent": 1}, {"name": "5h", "percent": percent}]}))
        new.replace(self.meter)

    def limits(self) -> list[int | None]:
        return [event.cap for event in self.events() if isinstance(event, LimitSet)]

    def admitted(self) -> int:
        return sum(isinstance(event, JobAdmitted) for event in self.events())

    def ended(self) -> int:
        return sum(isinstance(event, JobEnded) for event in self.events())


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Governed]:
    """In place of the plain one; when the test is over nothing of it may be left running."""
    shop = Governed(tmp_path)
    yield shop
    left = shop.alive()
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left, f"processes of the test are left: {left}"


def use_file(shop: Governed) -> None:
    shop.govern(f'\n[usage]\nfile = "{shop.meter}"\nevery = "50ms"\n')


def test_a_meter_in_a_file_steps_a_run_under_way_down_and_up(shop: Governed) -> None:
    """WAVE-5: 3 → 2 → 1 → pause and up again while it runs; no session is stopped; `why` and `status` say so."""
    use_file(shop)
    shop.turn(10)
    started = shop.start("run", *"123456")
    started.until(shop.reached(*"123"))
    shop.turn(66)
    started.until(lambda: shop.limits() == [2])
    shop.turn(76)
    started.until(lambda: shop.limits() == [2, 1])
    shop.go("1", "2")
    started.until(lambda: shop.ended() == 2)
    assert shop.admitted() == 3
    said = shop.weft("why", "4").out
    assert "waits for a slot: the governor allows 1 (usage 5h 76 %, step at 75 % until 70 %), taken by shop#3" in said
    assert "cap 1 (governor: usage 5h 76 %, step at 75 % until 70 %, asked for 3)" in shop.weft("status").out
    shop.turn(80)
    started.until(lambda: shop.limits() == [2, 1, 0])
    shop.go("3")
    started.until(lambda: shop.ended() == 3)
    assert shop.admitted() == 3
    shop.turn(60)
    started.until(shop.reached(*"456"))
    run = json.loads(shop.weft("status", "--json").out)["runs"][0]
    assert (run["cap"], run["cap_asked"], run["limits"]) == (3, 3, [])
    assert run["usage_meters"] == [{"name": "week", "percent": 1.0}, {"name": "5h", "percent": 60.0}]
    shop.go("all")
    answer = started.wait()
    assert answer.code == 0
    assert shop.most_at_once() == 3
    lines = answer.err.splitlines()
    assert "cap 1 of 3: usage 5h 76 %, step at 75 % until 70 %" in lines
    assert "nothing new starts: usage 5h 80 %, step at 80 % until 75 %" in lines
    assert "cap 3 again" in lines


def test_a_meter_that_goes_away_leaves_the_cap_where_it_is(shop: Governed) -> None:
    """WAVE-5: unknown holds, and the user is told: on the terminal, in status, in the log."""
    use_file(shop)
    shop.turn(70)
    started = shop.start("run", *"123")
    started.until(shop.reached(*"12"))
    shop.meter.unlink()
    started.until(shop.has_event(UsageRead))
    told = f"usage unknown: `{shop.meter}` cannot be read: No such file or directory"
    assert told in shop.weft("status").out
    assert f"{told}; the cap holds where it is" in shop.weft("why", "3").out
    shop.go("1")
    started.until(shop.reached("3"))
    shop.go("all")
    answer = started.wait()
    assert answer.code == 0
    assert f"{told}; the cap holds where it is" in answer.err.splitlines()
    assert shop.most_at_once() == 2
    assert told in shop.weft("logs").out


def test_a_meter_that_is_a_command(shop: Governed) -> None:
    """WAVE-5: it runs where weft.toml is, before anything starts; at 90 % nothing does."""
    shop.govern('\n[usage]\ncommand = "cat ../usage.json"\nevery = "50ms"\n')
    shop.turn(90)
    started = shop.start("run", "1", "--json")
    started.until(shop.has_event(LimitSet))
    assert "the governor allows 0 (usage 5h 90 %, step at 80 % until 75 %), taken by none" in shop.weft("why", "1").out
    assert shop.admitted() == 0
    shop.turn(20)
    started.until(shop.reached("1"))
    shop.go("all")
    assert started.wait().code == 0


def test_usage_can_be_overridden(shop: Governed) -> None:
    """WAVE-5: `--override-usage` takes no notice of the meter."""
    use_file(shop)
    shop.turn(99)
    shop.go("all")
    assert shop.run("1", "2", "--override-usage").code == 0
    assert shop.limits() == []


def test_with_little_memory_nothing_new_starts_and_why_says_so(shop: Governed) -> None:
    """GOV-4: the line set above what this machine has; Ctrl-C still ends the run."""
    shop.govern('\n[machine]\nmin_free_memory = "900TB"\n')
    started = shop.start("run", *"12")
    started.until(shop.has_event(LimitSet))
    said = shop.weft("why", "1").out
    assert "waits for a slot: the governor allows 0 (" in said
    assert "memory free, under machine.min_free_memory = 900 TB" in said
    assert "memory free, under machine.min_free_memory = 900 TB" in shop.weft("status").out
    assert shop.admitted() == 0
    started.send(signal.SIGINT)
    answer = started.wait()
    assert answer.code == 130
    assert "nothing new starts: " in answer.err
    assert shop.sessions() == []


def test_with_little_disk_nothing_new_starts(shop: Governed) -> None:
    """GOV-4: the disk that the state folder and the repo are on."""
    shop.govern('\n[machine]\nmin_free_disk = "900TB"\n')
    started = shop.start("run", "1")
    started.until(shop.has_event(LimitSet))
    assert "disk free, under machine.min_free_disk = 900 TB" in shop.weft("why", "1").out
    started.send(signal.SIGINT)
    assert started.wait().code == 130


def test_a_run_that_is_gone_on_with_reads_the_meter_anew(shop: Governed) -> None:
    """RECOVER-1: killed at 90 %, taken up at 90 % it still starts nothing; then, with room, all of it is done."""
    use_file(shop)
    shop.turn(90)
    started = shop.start("run", *"12")
    started.until(shop.has_event(LimitSet))
    started.send(signal.SIGKILL)
    assert started.wait().code == -signal.SIGKILL
    recovering = shop.start("recover")
    recovering.until(shop.has_event(RunResumed))
    assert "the governor allows 0 (usage 5h 90 %" in shop.weft("why", "1").out
    shop.turn(5)
    recovering.until(shop.reached(*"12"))
    shop.go("all")
    assert recovering.wait().code == 0


def test_a_meter_that_hangs_can_be_interrupted(shop: Governed) -> None:
    """WAVE-5: before the first job, while the command is asked; nothing of it is left."""
    shop.govern('\n[usage]\ncommand = "touch ../asked; sleep 300"\ntimeout = "5m"\n')
    started = shop.start("run", "1")
    started.until((shop.root / "asked").exists)
    started.send(signal.SIGINT)
    answer = started.wait()
    assert answer.code == 130
    assert "Traceback" not in answer.err


def test_a_meter_that_takes_too_long_is_unknown(shop: Governed) -> None:
    """WAVE-5: the run starts all the same, and says so."""
    shop.govern('\n[usage]\ncommand = "sleep 300"\ntimeout = "100ms"\n')
    shop.go("all")
    answer = shop.weft("run", "1")
    assert answer.code == 0
    assert "usage unknown: `sleep 300`: took longer than 0.1 s; the cap holds where it is" in answer.err
