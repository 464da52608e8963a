"""What is tried again: failures that pass by themselves, and those alone (RUN-9)."""

from __future__ import annotations

from tests.support.shop import Shop

from weft.assembly.builtin import builtin_pipeline
from weft.model.events import PhaseEnded
from weft.model.outcome import PhaseStatus
from weft.model.phase import FailureClass
from weft.pipelines.parse import parse_pipeline

SHORT = '[phases.spec.retry]\nbackoff = "10ms"'


def attempts(shop: Shop, phase: str) -> list[str]:
    return [number for word, _, at, number in shop.ledger() if (word, at) == ("start", phase)]


def test_the_default_policy() -> None:
    """RUN-9: spec alone is tried again, once, after 5 s, after failures of the network and of rate limits."""
    pipeline = parse_pipeline(*builtin_pipeline(), "built in")
    spec = pipeline.phases[pipeline.index("spec")].retry
    assert (spec.times, spec.delay(0)) == (1, 5.0)
    assert set(spec.classes) == {FailureClass.TRANSIENT, FailureClass.RATE_LIMITED}
    assert [phase.retry.times for phase in pipeline.phases if phase.name != "spec"] == [0, 0]


def test_the_wait_is_told(shop: Shop) -> None:
    """RUN-9: after exit status 75 the next attempt is due 5 s later, and the line says so; then it is cancelled."""
    shop.settings("")
    shop.issues("1")
    shop.does("spec", "exit 75")
    started = shop.start("run", "1")
    started.until(lambda: "● #1: spec ✗ · again in 5s" in started.err)
    assert shop.weft("cancel", "1").code == 0
    assert started.wait().code == 1
    (ended,) = [event for event in shop.events() if isinstance(event, PhaseEnded)]
    assert ended.status is PhaseStatus.RETRYING
    assert ended.retry_at == ended.at + 5.0


def test_a_transient_failure_is_tried_once_more(shop: Shop) -> None:
    """RUN-9: exit status 75 once, then it goes on."""
    shop.settings("", more=SHORT)
    shop.issues("1")
    shop.does("spec-1-1", "exit 75")
    answer = shop.run("1")
    assert answer.code == 0
    assert attempts(shop, "spec") == ["1", "2"]
    assert answer.job("1")["phases"][0]["attempts"] == 2


def test_only_once(shop: Shop) -> None:
    """RUN-9: the second time the job fails, in the agent's own words."""
    shop.settings("", more=SHORT)
    shop.issues("1")
    shop.does("spec", "echo 'the server is overloaded'; exit 75")
    answer = shop.run("1")
    assert answer.statuses == {"1": "failed"}
    assert "the server is overloaded" in answer.job("1")["reason"]
    assert attempts(shop, "spec") == ["1", "2"]
    assert attempts(shop, "exec") == []


def test_no_retry(shop: Shop) -> None:
    """RUN-9: `--no-retry` turns it off, and leaves the quality loop alone."""
    shop.settings("", test="grep -q 2 1.txt", more=SHORT)
    shop.issues("1", "2")
    shop.does("spec-2", "exit 75")
    shop.does("exec-1", 'echo "$number" > 1.txt')
    answer = shop.run("1", "2", "--no-retry")
    assert answer.statuses == {"1": "passed", "2": "failed"}
    assert [who for who in shop.sessions("spec") if who == "2"] == ["2"]
    assert [who for who in shop.sessions("exec") if who == "1"] == ["1", "1"]


def test_failed_work_is_not_retried(shop: Shop) -> None:
    """RUN-9: exit status 1 is the work's own failure: one attempt, whatever the policy."""
    shop.settings("", more=f"{SHORT}\ntimes = 5")
    shop.issues("1")
    shop.does("spec", "exit 1")
    assert shop.run("1").statuses == {"1": "failed"}
    assert attempts(shop, "spec") == ["1"]


def test_a_policy_of_ones_own(shop: Shop) -> None:
    """RUN-9: classes, times and back-off per phase: exec that is killed, three times over."""
    shop.settings(more='[phases.exec.retry]\nclasses = ["killed"]\ntimes = 3\nbackoff = "1ms"')
    shop.issues("1")
    shop.does("exec", 'if [ "$number" -lt 4 ]; then kill -9 $$; fi; echo x > 1.txt')
    assert shop.run("1").statuses == {"1": "passed"}
    assert attempts(shop, "exec") == ["1", "2", "3", "4"]


def test_a_slot_is_free_during_the_wait(shop: Shop) -> None:
    """RUN-9: while one waits for its next attempt another takes the slot."""
    shop.settings("", more='[phases.spec.retry]\nbackoff = "1h"')
    shop.issues("1", "2")
    shop.does("spec-1-1", "exit 75")
    started = shop.start("run", "1", "2", "--concurrency", "1")
    started.until(lambda: "✓ Issue #2 completed" in started.err)
    assert shop.weft("cancel", "1").code == 0
    assert started.wait().code == 1
