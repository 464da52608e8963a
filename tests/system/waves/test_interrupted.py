"""A wave beside runs that died in its repos, and a wave that died itself (RECOVER-1)."""

from __future__ import annotations

import signal
from pathlib import Path

from tests.support.fleet import Fleet, statuses


def test_a_dead_run_in_one_of_the_repos(fleet: Fleet) -> None:
    """It is said, with the repo; what the wave does itself is taken out of the dead run, and nothing else is."""
    fleet.issues("api#1", "api#2", "ui#1")
    api = fleet.shops["api"]
    api.issue("3")
    api.does("exec", 'hold "$id"')
    started = api.start("run", "1", "3")
    started.until(api.reached("1", "3"))
    started.send(signal.SIGKILL)
    started.process.wait()
    dead = api.runs()[-1]
    api.go("all")
    api.does("exec", 'echo x > "$id.txt"')
    assert f"note: run {dead} in `api` was interrupted" in fleet.wave("plan", "M1").err
    answer = fleet.run("M1")
    assert statuses(answer) == {"api#1": "passed", "api#2": "passed", "ui#1": "passed"}
    assert f"note: `api#1` of run {dead} is done by this run now" in answer.err
    assert statuses(api.weft("recover", dead, "--json")) == {"api#1": "cancelled", "api#3": "passed"}


def test_a_wave_that_died(fleet: Fleet) -> None:
    """`weft recover` goes on with all its repos and writes the hand-offs; nothing that landed is done again."""
    fleet.issues("api#1", "api#2", "ui#1")
    fleet.first.does("exec-api-2", 'hold api-2; echo x > "$id.txt"')
    started = fleet.start("M1")
    started.until(lambda: fleet.first.reached("api-2")() and "end ui-1" in _ledger(fleet))
    started.send(signal.SIGKILL)
    started.process.wait()
    fleet.first.go("all")
    answer = fleet.first.weft("recover", "--json")
    assert answer.code == 0, answer.err
    assert statuses(answer) == {"api#1": "passed", "api#2": "passed", "ui#1": "passed"}
    assert all(job["merged"] for job in answer.document["jobs"])
    assert all(Path(each["file"]).exists() for each in answer.document["handoffs"])
    assert fleet.first.sessions().count("api-1") == fleet.first.sessions().count("ui-1") == 1


def test_recovery_where_the_wave_was_started(fleet: Fleet) -> None:
    """RECOVER-1: in the folder whose weft.toml lists the repos `weft recover` means the waves over them."""
    fleet.issues("api#1", "ui#1")
    fleet.first.does("exec-api-1", 'hold api-1; echo x > "$id.txt"')
    started = fleet.start("M1")
    started.until(fleet.first.reached("api-1"))
    started.send(signal.SIGKILL)
    started.process.wait()
    fleet.first.go("all")
    answer = fleet.first.weft("recover", "--json", cwd=fleet.folder)
    assert statuses(answer) == {"api#1": "passed", "ui#1": "passed"}


def _ledger(fleet: Fleet) -> str:
    return "\n".join(f"{word} {ident}" for word, ident, *_ in fleet.first.ledger())
