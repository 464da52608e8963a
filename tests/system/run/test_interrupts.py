"""Ctrl-C and SIGTERM: nothing survives, nothing is lost, the summary is printed (RUN-14)."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from signal import SIGINT, SIGTERM

import pytest
from tests.support.shop import Shop
from tests.support.waiting import until

from weft.model.events import AttemptStarted, GatesEnded

DAEMONS = Path(__file__).parents[2] / "support/daemons.sh"
CODES = {SIGINT: 130, SIGTERM: 143}
both = pytest.mark.parametrize("number", [SIGINT, SIGTERM], ids=["SIGINT", "SIGTERM"])


def busy(shop: Shop, *, grace: str = "300ms") -> None:
    """Agents that have written half their work, spawned daemons, and hear no SIGTERM."""
    shop.settings(grace=grace)
    shop.issues(*"1234")
    script = f'echo "half of $id" > half.txt; MARK=$id; . {DAEMONS}; trap "" TERM INT; hold "$id"; echo x > "$id.txt"'
    shop.does("exec", script)


@both
def test_in_the_middle(shop: Shop, number: signal.Signals) -> None:
    """RUN-14: every process of every shape is gone, the work in progress is on saved refs, the summary tells it all."""
    busy(shop)
    before = shop.repo.checkout_state()
    started = shop.start("run", *"1234")
    started.until(shop.reached("1", "2", "3"))
    started.send(number)
    answer = started.wait()
    assert answer.code == CODES[number]
    assert shop.alive() == []
    assert answer.out.startswith("SUMMARY · 4 issues · ")
    assert "3 cancelled" in answer.out.splitlines()[0]
    assert "1 not run" in answer.out.splitlines()[0]
    saved = {ref.split("/")[3]: ref for ref in shop.repo.saved()}
    assert {job: shop.repo.show(ref, "half.txt") for job, ref in saved.items()} == {
        f"shop.{ident}": f"half of {ident}" for ident in "123"
    }
    assert all(ref in answer.out for ref in saved.values())
    assert sorted(shop.sessions()) == ["1", "2", "3"]
    assert shop.debris() == []
    assert shop.repo.checkout_state() == before
    shop.go("all")
    shop.does("exec", 'echo x > "$id.txt"')
    again = shop.run(*"1234")
    assert again.code == 0
    assert set(again.statuses.values()) == {"passed"}


def test_by_the_terminal(shop: Shop) -> None:
    """RUN-14: the key itself, on a terminal, while the progress line stands."""
    busy(shop)
    terminal = shop.terminal("run", *"123")
    terminal.until_shown("#3: exec started")
    until(shop.reached("1", "2", "3"))
    terminal.type("\x03")
    assert terminal.wait() == 130
    assert shop.alive() == []
    assert "3 cancelled" in terminal.raw
    assert len(shop.repo.saved()) == 3


def test_agents_are_given_their_grace(shop: Shop) -> None:
    """RUN-14: SIGTERM comes first, and what an agent does upon it is saved too."""
    shop.settings(grace="60s")
    shop.issues("1")
    shop.does("exec", 'trap "echo orderly > orderly.txt; exit 1" TERM; hold 1')
    started = shop.start("run", "1")
    started.until(shop.reached("1"))
    started.send(SIGINT)
    assert started.wait().code == 130
    (saved,) = shop.repo.saved()
    assert shop.repo.show(saved, "orderly.txt") == "orderly"


@both
def test_twice(shop: Shop, number: signal.Signals) -> None:
    """RUN-14: a second one does not wait for a grace of an hour; nothing survives it either."""
    busy(shop, grace="1h")
    started = shop.start("run", *"123")
    started.until(shop.reached("1", "2", "3"))
    started.send(number)
    started.until(lambda: "Stopping" in started.err)
    started.send(number)
    assert started.wait().code == CODES[number]
    assert shop.alive() == []
    assert shop.debris() == []


def test_before_the_first_phase(shop: Shop) -> None:
    """RUN-14: while workspaces are being furnished: the set-up command is ended, no session starts."""
    shop.settings(more=f'[workspace]\nsetup = ": > {shop.stage}/reached.$(basename $PWD); sleep 600"', grace="300ms")
    shop.issues(*"1234")
    started = shop.start("run", *"1234", "--concurrency", "2")
    started.until(shop.reached("shop.1", "shop.2"))
    started.send(SIGINT)
    answer = started.wait()
    assert answer.code == 130
    assert shop.alive() == []
    assert "2 cancelled" in answer.out.splitlines()[0]
    assert "2 not run" in answer.out.splitlines()[0]
    assert not any(isinstance(event, AttemptStarted) for event in shop.events())
    assert shop.debris() == []


def test_during_gates(shop: Shop) -> None:
    """RUN-14: a gate and its daemons are ended like an agent; the work that it was to judge is on the branch."""
    gate = f"MARK=gate; STAGE={shop.stage}; . {DAEMONS}; trap '' TERM; : > {shop.stage}/reached.gate; sleep 600"
    shop.settings("", test=gate, grace="300ms")
    shop.issues("1")
    started = shop.start("run", "1")
    started.until(shop.reached("gate"))
    started.send(SIGTERM)
    answer = started.wait()
    assert answer.code == 143
    assert shop.alive() == []
    assert shop.repo.show("weft/1-thing-1", "1.txt") == "work on 1"
    (ended,) = [event for event in shop.events() if isinstance(event, GatesEnded)]
    assert ended.failure is not None


def test_while_a_retry_is_due(shop: Shop) -> None:
    """RUN-14: a job that waits for its next attempt ends at once."""
    shop.settings("", more='[phases.spec.retry]\nbackoff = "1h"')
    shop.issues("1")
    shop.does("spec", "exit 75")
    started = shop.start("run", "1")
    started.until(lambda: "again in" in started.err)
    started.send(SIGINT)
    assert started.wait().code == 130


def held_git(shop: Shop, word: str) -> str:
    """A PATH on which git stands still at its first `word` command, until it is let go."""
    script = f"""#!/bin/sh
case " $* " in *" {word} "*)
    : > {shop.stage}/reached.git
    until [ -e {shop.stage}/go.git ]; do sleep 0.02; done ;;
esac
exec {shutil.which("git")} "$@"
"""
    wrapper = shop.root / "bin/git"
    wrapper.parent.mkdir()
    wrapper.write_text(script)
    wrapper.chmod(0o755)
    return f"{wrapper.parent}:{os.environ['PATH']}"


def test_during_the_closing(shop: Shop) -> None:
    """RUN-14: a job that is being put away ends as it would have, its work saved."""
    shop.issues("1")
    shop.does("exec", "echo half > half.txt; exit 1")
    started = shop.start("run", "1", PATH=held_git(shop, "status"))
    started.until(shop.reached("git"))
    started.send(SIGINT)
    started.until(lambda: "Stopping" in started.err)
    shop.go("git")
    answer = started.wait()
    assert answer.code == 130
    assert "1 failed" in answer.out.splitlines()[0]
    (saved,) = shop.repo.saved()
    assert shop.repo.show(saved, "half.txt") == "half"
    assert shop.debris() == []


def test_during_the_commit(shop: Shop) -> None:
    """RUN-14: the session is over and its work is being committed: that is finished, and is on the branch."""
    shop.issues("1")
    started = shop.start("run", "1", PATH=held_git(shop, "commit"))
    started.until(shop.reached("git"))
    started.send(SIGINT)
    started.until(lambda: "Stopping" in started.err)
    shop.go("git")
    answer = started.wait()
    assert answer.code == 130
    assert "1 cancelled" in answer.out.splitlines()[0]
    assert shop.repo.show("weft/1-thing-1", "1.txt") == "work on 1"
    assert shop.debris() == []


def test_an_agents_daemons_do_not_outlive_its_session(shop: Shop) -> None:
    """RUN-14: also at a session's normal end nothing of it goes on in the workspace."""
    shop.settings(grace="300ms")
    shop.issues("1")
    shop.does("exec", f"MARK=1; . {DAEMONS}; echo x > 1.txt")
    answer = shop.run("1")
    assert answer.code == 0
    assert shop.alive() == []
    assert shop.worktrees() == []
