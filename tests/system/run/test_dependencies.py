"""Dependencies between issues: what is built on what, and what becomes of those behind a failure."""

from __future__ import annotations

import pytest
from tests.support.shop import Shop


def needs(shop: Shop, **graph: str) -> None:
    """Issues `i1="2 3"`: 1 depends on 2 and 3."""
    for name, others in graph.items():
        shop.issue(name[1:], front=f"depends_on: [{', '.join(others.split())}]")
    shop.repo.commit("issues")


def test_a_diamond(shop: Shop) -> None:
    """Each starts with the work of all it depends on, merged; never before they are done; each runs once."""
    needs(shop, i1="", i2="1", i3="1", i4="2 3")
    shop.does("exec", 'ls [0-9]*.txt > "seen-$id" 2>/dev/null; hold "$id"; echo "$id" > "$id.txt"')
    started = shop.start("run", *"4321", "--json")
    started.until(shop.reached("1"))
    assert shop.all_reached() == {"1"}
    shop.go("1")
    started.until(shop.reached("2", "3"))
    assert shop.all_reached() == {"1", "2", "3"}
    shop.go("2")
    started.until(lambda: ("end", "2", "exec", "1") in shop.ledger())
    assert "4" not in shop.all_reached()
    shop.go("3", "4")
    answer = started.wait()
    assert answer.code == 0
    assert shop.repo.show("weft/4-thing-4", "seen-4").split() == ["1.txt", "2.txt", "3.txt"]
    assert shop.repo.show("weft/2-thing-2", "seen-2").split() == ["1.txt"]
    assert shop.sessions()[0] == "1"
    assert shop.sessions()[-1] == "4"
    for base in "123":
        assert shop.repo.git("merge-base", "--is-ancestor", f"weft/{base}-thing-{base}", "weft/4-thing-4") == ""


def test_only_its_own_work_counts(shop: Shop) -> None:
    """RUN-20: an issue that adds nothing to what it builds on has made no change, though it differs from main."""
    needs(shop, i1="", i2="1")
    shop.does("exec-2", "true")
    answer = shop.run("1", "2")
    assert answer.statuses == {"1": "passed", "2": "no_change"}


def test_branches_that_conflict(shop: Shop) -> None:
    """Dependencies whose branches cannot be merged: that job fails and names both; the others are as they were."""
    needs(shop, i1="", i2="", i3="1 2")
    shop.does("exec", 'echo "$id" > same.txt')
    answer = shop.run(*"123")
    assert answer.statuses == {"1": "passed", "2": "passed", "3": "failed"}
    reason = answer.job("3")["reason"]
    assert "weft/1-thing-1" in reason
    assert "weft/2-thing-2" in reason
    assert "same.txt" in reason
    assert shop.sessions() == shop.sessions()[:2]
    assert shop.debris() == []


def test_behind_a_failure(shop: Shop) -> None:
    """What depends on a failed one is parked and names it, all the way; what does not goes on."""
    needs(shop, i1="", i2="1", i3="2", i4="")
    shop.does("exec-1", "exit 1")
    answer = shop.run(*"1234")
    assert answer.code == 1
    assert answer.statuses == {"1": "failed", "2": "parked", "3": "parked", "4": "passed"}
    assert "shop#1" in answer.job("2")["reason"]
    assert "shop#2" in answer.job("3")["reason"]
    assert "2" not in shop.sessions()


def test_a_cycle(shop: Shop) -> None:
    """Exit 2 names the whole cycle, and nothing starts."""
    needs(shop, i1="", i2="4", i3="2", i4="3")
    answer = shop.weft("run", *"1234")
    assert answer.code == 2
    line = answer.lines[0]
    assert line.startswith("error: Dependency cycle: ")
    assert {part.strip() for part in line.partition("cycle: ")[2].split("→")} == {"shop#2", "shop#3", "shop#4"}
    assert shop.runs() == []


def test_on_itself(shop: Shop) -> None:
    """The shortest cycle."""
    needs(shop, i1="1")
    answer = shop.weft("run", "1")
    assert (answer.code, answer.lines[0]) == (2, "error: Dependency cycle: shop#1 → shop#1")


def test_an_unknown_one(shop: Shop) -> None:
    """Exit 2 names each unknown reference with its issue and file, and nothing starts."""
    needs(shop, i1="77", i2="88 1")
    answer = shop.weft("run", "1", "2")
    assert answer.code == 2
    for part in ("#1", "#77", "#2", "#88", "issues/1.md", "issues/2.md"):
        assert part in answer.lines[0]
    assert shop.runs() == []


def test_one_outside_the_run(shop: Shop) -> None:
    """Not finished and not asked for: parked, naming it. Once finished, its branch is what the work builds on."""
    needs(shop, i1="", i2="1")
    first = shop.run("2")
    assert (first.code, first.statuses) == (1, {"2": "parked"})
    assert "#1" in first.job("2")["reason"]
    assert shop.ledger() == []
    assert shop.run("1").code == 0
    second = shop.run("2")
    assert second.statuses == {"2": "passed"}
    assert shop.repo.tip("weft/2-thing-2~1") == shop.repo.tip("weft/1-thing-1")


def test_one_that_is_closed(shop: Shop) -> None:
    """A dependency whose issue is closed is done: its work is in the base."""
    shop.issue("1", front="state: closed")
    needs(shop, i2="1")
    assert shop.run("2").statuses == {"2": "passed"}


@pytest.mark.parametrize("text", ["Depends on: #1", "- depends on #1"])
def test_named_in_the_text(shop: Shop, text: str) -> None:
    """A line of the issue's text names it as well as front matter does."""
    shop.issue("1")
    shop.issue("2", body=text)
    shop.repo.commit("issues")
    answer = shop.run("2", "1")
    assert answer.statuses == {"2": "passed", "1": "passed"}
    assert shop.sessions() == ["1", "2"]


def test_priority(shop: Shop) -> None:
    """Of those that could start, a higher priority goes first; else the longest way ahead; else as listed."""
    needs(shop, i1="", i2="", i3="2")
    shop.issue("4", front="priority: 5")
    shop.repo.commit("urgent")
    assert shop.run(*"1234", "--concurrency", "1").code == 0
    assert shop.sessions() == ["4", "2", "1", "3"]
