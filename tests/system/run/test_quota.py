"""Quotas: what one session is told holds for all Weft processes of the user."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.support.answer import Answer
from tests.support.shop import Shop

from weft.model.events import AnyEvent, AttemptStarted, QuotaSeen

JOBS = [str(number) for number in range(1, 11)]
TELL = """\
printf '{{"type":"rate_limit","status":"rejected","resets_at":%s,"scope":"account"}}\\n' "{reset}"
"""
WORK = """\
echo "$WEFT_JOB" > "work-${WEFT_JOB##*#}.txt"
echo '{"type":"result","ok":true,"text":"done"}'
"""
MORE = 'output = "jsonl"\naccount = "acme"\n'


@pytest.fixture
def shops(tmp_path: Path) -> list[Shop]:
    """Two repos of one user: one database, one account."""
    both = [Shop(tmp_path, name=name, state=tmp_path / "state") for name in ("shop", "mill")]
    for each in both:
        each.settings('phases = ["exec"]\nconcurrency = 3', more=MORE)
        each.issues(*JOBS)
    return both


def test_one_refusal_holds_for_every_process_until_the_reset(shops: list[Shop]) -> None:
    """GOV-1: one agent reports rejected with a reset in 5 s while 20 jobs wait in two Weft processes: no session
    starts before the reset, all wake spread out after it, all finish, nothing has failed.
    """
    shop, mill = shops
    for each in shops:
        each.does("exec", "sleep 0.3\n" + WORK)
    shop.does("exec-1-1", f"hold refusal\n{TELL.format(reset='$(($(date +%s) + 5))')}sleep 0.5\nexit 1\n")
    mill.does("exec-1", f"hold start\n{WORK}")
    both = [each.start("run", *JOBS, "--json") for each in shops]
    both[0].until(shop.reached("refusal"))
    both[1].until(mill.reached("start"))
    shop.go("refusal")
    mill.go("start")
    answers = [started.wait() for started in both]
    assert [answer.code for answer in answers] == [0, 0], answers[0].err + answers[1].err
    events = [event for each, answer in zip(shops, answers, strict=True) for event in _events(each, answer)]
    told = [event for event in events if isinstance(event, QuotaSeen)]
    assert len(told) == 2, "each run has it in its own journal"
    assert abs(told[0].at - told[1].at) < 1.0
    (reset,) = {event.resets_at for event in told}
    assert reset is not None
    starts = [event.at for event in events if isinstance(event, AttemptStarted)]
    after = sorted(at for at in starts if at > max(event.at for event in told))
    assert after[0] >= reset
    assert max(Counter(map(int, after)).values()) < len(after), "all woke in the same second"


def _events(shop: Shop, answer: Answer) -> list[AnyEvent]:
    document = json.loads(answer.out)
    assert {job["status"] for job in document["jobs"]} == {"passed"}
    return shop.events(document["run"])


def test_a_run_that_begins_later_knows_it_from_the_start(shops: list[Shop]) -> None:
    """GOV-1: whatever was told before holds; the run waits and is not called completed; `weft why` says for what."""
    shop, mill = shops
    reset = int(time.time()) + 6
    shop.does("exec", WORK)
    shop.does("exec-1-1", f"{TELL.format(reset=reset)}exit 1\n")
    mill.does("exec", WORK)
    first = shop.start("run", "1", "--json")
    first.until(shop.has_event(QuotaSeen))
    second = mill.start("run", "1", "2", "--json")
    answer = second.wait()
    assert answer.code == 0, answer.err
    document = json.loads(answer.out)
    starts = [event.at for event in mill.events(document["run"]) if isinstance(event, AttemptStarted)]
    assert min(starts) >= reset
    assert first.wait().code == 0


def test_a_fallback_takes_over_while_the_quota_is_used_up(shops: list[Shop], tmp_path: Path) -> None:
    """GOV-3: the job's next session is done by the agent that the user named, and the journal says by whom."""
    shop = shops[0]
    other = f'[agents.other]\nkind = "command"\noutput = "jsonl"\nargv = ["/bin/sh", "{tmp_path}/other.sh"]\n'
    (tmp_path / "other.sh").write_text(WORK)
    shop.settings('phases = ["exec"]', more=f'{MORE}fallback = ["other"]\n{other}')
    shop.does("exec", f"{TELL.format(reset=int(time.time()) + 3600)}exit 1\n")
    answer = shop.run("1")
    assert answer.code == 0, answer.err
    started = [event for event in shop.events(json.loads(answer.out)["run"]) if isinstance(event, AttemptStarted)]
    assert [event.agent for event in started] == ["mine", "other"]
