"""Two runs and one issue: who has the lock works, the other is told (LOCK-3 to LOCK-8, LOCK-10, LOCK-11, RUN-16)."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from signal import SIGKILL, SIGTERM

from tests.support.shop import Shop
from tests.support.started import Started

HOLDING = 'echo "$id" > "$id.txt"; hold "$id"'


def holder_of(shop: Shop, *issues: str, args: tuple[str, ...] = ()) -> Started:
    """A run that is held up in the middle of its sessions."""
    shop.issues("1", "2", "3")
    shop.does("exec", HOLDING)
    started = shop.start("run", *issues, *args)
    started.until(shop.reached(*issues))
    return started


def lock_file(shop: Shop, ident: str) -> Path:
    return shop.repo.path / ".weft" / "locks" / f"{ident}.lock"


def test_alone(shop: Shop) -> None:
    """LOCK-4, RUN-16: the sentence to the letter, exit 3, and nothing was done."""
    first = holder_of(shop, "1")
    pid = first.process.pid
    blocked = shop.weft("run", "1")
    assert blocked.code == 3
    said = re.escape(f"Issue #1 is being worked on by PID {pid} since ")
    moment = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
    rest = re.escape(" (weft run 1). Use --force to take over, or wait for the other session.")
    assert re.search(f"^{said}{moment}{rest}$", blocked.err, re.MULTILINE)
    assert f"#1 ⚠ locked by PID {pid} (weft run 1)" in blocked.out.splitlines()
    shop.go("1")
    assert first.wait().code == 0
    assert shop.sessions() == ["1"]
    assert shop.debris() == []


def test_in_a_batch(shop: Shop) -> None:
    """LOCK-4, RUN-16: the locked one is skipped, the others are done, and the run does not fail for that."""
    first = holder_of(shop, "1")
    shop.go("2", "3")
    batch = shop.weft("run", "1", "2", "3")
    assert batch.code == 0
    assert batch.out.startswith("SUMMARY · 3 issues · ")
    assert "2 passed · 1 locked" in batch.out.splitlines()[0]
    assert f"#1 ⚠ locked by PID {first.process.pid} (weft run 1)" in batch.out.splitlines()
    shop.go("1")
    assert first.wait().code == 0


def test_all_locks_are_taken_up_front(shop: Shop) -> None:
    """LOCK-3: in parallel mode also those whose turn has not come; one after the other only the one that runs."""
    first = holder_of(shop, "1", args=("2", "--concurrency", "1"))
    assert (lock_file(shop, "1").exists(), lock_file(shop, "2").exists()) == (True, True)
    shop.go("1", "2")
    assert first.wait().code == 0
    assert not list((shop.repo.path / ".weft" / "locks").glob("*.lock"))


def test_a_sequence_takes_each_as_it_starts(shop: Shop) -> None:
    """LOCK-3: as each job starts; a locked one is skipped and does not stop the rest (RUN-3)."""
    first = holder_of(shop, "1", args=("2", "--sequential"))
    assert (lock_file(shop, "1").exists(), lock_file(shop, "2").exists()) == (True, False)
    shop.go("3")
    other = shop.run("1", "3", "--sequential")
    assert other.statuses == {"1": "locked", "3": "passed"}
    shop.go("1", "2")
    assert first.wait().code == 0


def test_a_locked_issue_stops_a_chain(shop: Shop) -> None:
    """RUN-5: what builds on it cannot begin."""
    first = holder_of(shop, "1")
    chain = shop.run("1", "2", "--chain")
    assert chain.statuses == {"1": "locked", "2": "not_run"}
    assert chain.code == 3
    shop.go("1")
    first.wait()


def test_kill_9_of_the_holder(shop: Shop) -> None:
    """LOCK-5, LOCK-6: the next run takes the lock over at once."""
    first = holder_of(shop, "1")
    first.send(SIGKILL)
    first.wait()
    assert lock_file(shop, "1").exists()
    shop.go("1")
    again = shop.run("1")
    assert again.statuses == {"1": "passed"}
    assert shop.debris() == []


def test_forced(shop: Shop) -> None:
    """LOCK-7: the former holder stops its agents before the new one begins, writes nothing more and says why."""
    first = holder_of(shop, "1")
    shop.does("exec", 'echo "second" > "$id.txt"')
    second = shop.run("1", "--force")
    assert second.statuses == {"1": "passed"}
    branch = second.job("1")["branch"]
    beaten = first.wait()
    assert beaten.code == 1
    assert "The lock on #1 was " in beaten.out
    assert "stopping before the next write to the repo" in beaten.out
    assert shop.repo.show(branch, "1.txt") == "second"


def test_forced_with_a_signal(shop: Shop) -> None:
    """LOCK-8: the holder gets SIGTERM first and ends in order; the line says so."""
    first = holder_of(shop, "1")
    shop.does("exec", 'echo "second" > "$id.txt"')
    second = shop.weft("run", "1", "--force", "--signal-other")
    assert f"Signaled PID {first.process.pid} (SIGTERM) for #1" in second.err.splitlines()
    assert second.code == 0
    assert first.wait().code == 128 + SIGTERM
    assert shop.repo.show("weft/1-thing-1", "1.txt") == "second"
    assert shop.debris() == []


def test_signal_other_needs_force(shop: Shop) -> None:
    """LOCK-8: `--signal-other` alone is exit 2."""
    shop.issues("1")
    assert shop.weft("run", "1", "--signal-other").code == 2


def test_who_only_looks_is_warned(shop: Shop) -> None:
    """LOCK-3, RUN-19: a dry run names what is held, changes nothing and goes on."""
    first = holder_of(shop, "1")
    dry = shop.weft("run", "1", "--dry-run")
    assert dry.code == 0
    assert f"warning: #1 ⚠ locked by PID {first.process.pid} (weft run 1)" in dry.err.splitlines()
    shop.go("1")
    first.wait()


def test_for_callers_that_coordinate(shop: Shop) -> None:
    """LOCK-10: no lock file is made."""
    shop.issues("1")
    shop.does("exec", f'ls "{shop.repo.path}/.weft/locks" > "$id.txt" 2>&1; true')
    assert shop.run("1", WEFT_ORCHESTRATOR="1").statuses == {"1": "passed"}
    assert not (shop.repo.path / ".weft" / "locks").exists()


def test_a_folder_that_cannot_be_written(shop: Shop) -> None:
    """LOCK-11: a clear error before work starts, not a run without a lock."""
    shop.issues("1")
    (shop.root / "no-folder").write_text("")
    refused = shop.weft("run", "1", WEFT_LOCKS_DIR=str(shop.root / "no-folder"))
    assert refused.code == 1
    assert "no-folder" in refused.err
    assert shop.sessions() == []


def test_another_host(shop: Shop) -> None:
    """LOCK-5: its lock blocks until two hours have passed since its last renewal."""
    shop.issues("1")
    file = lock_file(shop, "1")
    file.parent.mkdir(parents=True)
    content = {"issue": "1", "pid": 4242, "hostname": "elsewhere", "command": "weft run 1", "flock": True}
    file.write_text(json.dumps(content))
    assert shop.run("1").statuses == {"1": "locked"}
    long_ago = file.stat().st_mtime - 7300
    os.utime(file, (long_ago, long_ago))
    assert shop.run("1").statuses == {"1": "passed"}
