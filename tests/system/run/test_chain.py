"""`--chain`: each issue starts where the one before ended (RUN-5)."""

from __future__ import annotations

import pytest
from tests.support.shop import Shop


def test_each_starts_at_the_tip_before(shop: Shop) -> None:
    """RUN-5: the branches form one line, in the order given, and each agent found the work of those before."""
    shop.issues(*"123")
    shop.does("exec", 'ls [0-9]*.txt > seen 2>/dev/null; echo "$id" > "$id.txt"')
    answer = shop.run("3", "1", "2", "--chain")
    assert answer.code == 0
    assert answer.document["mode"] == "chain"
    tips = [shop.repo.tip(f"weft/{ident}-thing-{ident}") for ident in "312"]
    assert [shop.repo.tip(f"{tip}~1") for tip in tips] == [shop.repo.tip("main"), tips[0], tips[1]]
    assert shop.repo.show(tips[2], "seen").split() == ["1.txt", "3.txt"]
    assert shop.most_at_once() == 1


def test_the_first_failure_stops_it(shop: Shop) -> None:
    """RUN-5: nothing is built on what failed."""
    shop.issues(*"123")
    shop.does("exec-2", "exit 1")
    answer = shop.run("1", "2", "3", "--chain")
    assert answer.code == 1
    assert answer.statuses == {"1": "passed", "2": "failed", "3": "not_run"}
    assert shop.sessions() == ["1", "2"]


def test_a_finished_one_gives_its_branch(shop: Shop) -> None:
    """RUN-5, RUN-20: an issue finished before is skipped, and the next one starts at its branch."""
    shop.issues("1", "2")
    assert shop.run("1").code == 0
    tip = shop.repo.tip("weft/1-thing-1")
    answer = shop.run("1", "2", "--chain")
    assert answer.code == 0
    assert answer.statuses == {"1": "skipped", "2": "passed"}
    assert shop.repo.tip("weft/2-thing-2~1") == tip
    assert shop.repo.tip("weft/1-thing-1") == tip


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--chain", "--sequential"), "--chain and --sequential exclude each other"),
        (("--chain", "--concurrency", "2"), "--chain and --concurrency 2 exclude each other"),
        (("--sequential", "--concurrency", "3"), "--sequential and --concurrency 3 exclude each other"),
    ],
)
def test_flags_that_exclude_each_other(shop: Shop, flags: tuple[str, ...], said: str) -> None:
    """RUN-5: exit 2, and nothing starts."""
    shop.issues("1", "2")
    answer = shop.weft("run", "1", "2", *flags)
    assert (answer.code, answer.lines[0]) == (2, f"error: {said}")
    assert shop.runs() == []


@pytest.mark.parametrize("flags", [("--chain", "--concurrency", "1"), ("--sequential", "--concurrency", "1")])
def test_a_concurrency_of_one_is_no_conflict(shop: Shop, flags: tuple[str, ...]) -> None:
    """RUN-5: only one above 1 conflicts."""
    shop.issues("1")
    assert shop.run("1", *flags).code == 0


def test_a_concurrency_from_settings_is_no_conflict(shop: Shop) -> None:
    """RUN-5: neither a file's nor a variable's concurrency conflicts; one at a time is what holds."""
    shop.settings('phases = ["exec"]\nconcurrency = 4\nsequential = true')
    shop.issues("1", "2")
    answer = shop.run("1", "2", "--chain", WEFT_CONCURRENCY="5")
    assert answer.code == 0
    assert shop.most_at_once() == 1
