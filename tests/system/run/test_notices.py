"""People who are away are told by webhook or command (UI-4); the run never fails nor waits for it. Real processes."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from tests.support.hook_server import hook_server
from tests.support.shop import Shop

from weft.model.events import JobEnded, RunEnded

ASK = 'echo \'{"type":"question","text":"Which colour?"}\'\n'


def notified(shop: Shop, text: str, run: str = 'phases = ["exec"]') -> None:
    shop.settings(run, more=f'output = "jsonl"\n\n[notify]\n{text}')


def test_a_webhook_hears_of_parked_jobs_and_the_end(shop: Shop) -> None:
    """UI-4: one message per event, as documented; those parked behind another are told with it, not each."""
    with hook_server() as hook:
        notified(shop, f'webhook = "{hook.url}"')
        shop.issue("2", front="depends_on: [1]")
        shop.issues("1", "3")
        shop.does("exec-1", ASK)
        answer = shop.run("1", "2", "3")
    assert hook.events() == ["job_parked", "run_ended"]
    parked, ended = hook.bodies
    assert parked["job"]["key"] == "shop#1"
    assert parked["job"]["reason"] == "asks: Which colour?"
    assert parked["text"] == f"weft {shop.runs()[0]}: shop#1 is parked: asks: Which colour?"
    assert 'weft answer shop#1 "…"' in parked["actions"][0]
    assert (ended["status"], ended["exit_code"]) == ("failed", answer.code)
    assert ended["counts"] == {"parked": 2, "passed": 1}
    assert [parked["id"], ended["id"]] == [f"{shop.runs()[0]}-1", f"{shop.runs()[0]}-2"]


def test_a_command_gets_the_message_on_its_standard_input(shop: Shop) -> None:
    """Run under the warden in the settings' folder; `on` says of what; Weft's variables do not reach it."""
    told = shop.root / "told"
    notified(shop, f'command = "cat >> {told}; echo >> {told}; env > {told}.env"\non = ["run_ended"]')
    shop.issues("1")
    shop.does("exec-1", ASK)
    shop.run("1")
    message = json.loads(told.read_text())
    assert message["event"] == "run_ended"
    assert "WEFT_HOME" not in Path(f"{told}.env").read_text()


def test_what_fails_to_be_told_fails_nothing(shop: Shop) -> None:
    """A few tries, a warning that does not show the address, and the run's own exit code."""
    with hook_server(lambda number: 503) as hook:
        notified(shop, f'webhook = "{hook.url}"\ncommand = "echo no bell >&2; exit 3"')
        shop.issues("1")
        answer = shop.run("1")
    assert (answer.code, answer.statuses) == (0, {"1": "passed"})
    assert hook.events() == ["run_ended"] * 3
    assert "warning: the webhook at http://127.0.0.1/… was not told of `run_ended`: it answered 503" in answer.err
    assert "warning: the command `notify.command` was not told of `run_ended`: exit status 3: no bell" in answer.err
    assert "s3cret-path" not in answer.err + answer.out


def test_a_webhook_that_does_not_answer_holds_no_run_up(shop: Shop) -> None:
    """The next job starts and the run ends in the journal while the first message still hangs."""
    with hook_server(lambda number: None) as hook:
        notified(shop, f'webhook = "{hook.url}"', 'phases = ["exec"]\nconcurrency = 1')
        shop.issues("1", "2")
        shop.does("exec-1", ASK)
        run = shop.start("run", "1", "2", "--json")
        run.until(lambda: shop.runs() and any(isinstance(event, RunEnded) for event in shop.events()))
        ends = [event for event in shop.events() if isinstance(event, JobEnded)]
        assert len(hook.bodies) <= 2, "only tries of the first message"
        hook.released.set()
        answer = run.wait()
    assert len(ends) == 2
    assert answer.statuses == {"1": "parked", "2": "passed"}


def test_after_a_crash_nothing_is_told_twice(shop: Shop) -> None:
    """What was told is noted: a recovered run tells the rest, and at most repeats the message that was under way."""
    with hook_server() as hook:
        notified(shop, f'webhook = "{hook.url}"')
        shop.issues("1", "2")
        shop.does("exec-1", ASK)
        shop.does("exec-2", "hold two\n")
        run = shop.start("run", "1", "2")
        run.until(shop.reached("two"))
        mark = Path(shop.layout.run(shop.runs()[0])) / "notified"
        run.until(lambda: hook.bodies and mark.exists())
        run.send(signal.SIGKILL)
        run.wait()
        shop.go("two")
        shop.weft("recover", "--json")
    assert hook.events() == ["job_parked", "run_ended"]
    assert [body["id"][-2:] for body in hook.bodies] == ["-1", "-2"]


def test_the_address_of_a_webhook_is_never_shown(shop: Shop) -> None:
    """Who knows it can write there: neither `config show` nor an error has more than its host."""
    secret = "https://hooks.example.org/services/s3cret"
    shop.repo.write("weft.toml", f'[notify]\nwebhook = "{secret}"\n')
    shown = shop.weft("config", "show", "--json")
    assert "https://hooks.example.org/…" in shown.out
    shop.repo.write("weft.toml", f'[notify]\nwebhook = "{secret} "\n')
    wrong = shop.weft("config", "show")
    assert "weft.toml: notify.webhook" in wrong.err
    misspelt = shop.weft("config", "show", WEFT_NOTIFY_WEBHOK=secret)
    assert "WEFT_NOTIFY_WEBHOOK" in misspelt.err
    for answer in (shown, wrong, misspelt):
        assert "s3cret" not in answer.out + answer.err
