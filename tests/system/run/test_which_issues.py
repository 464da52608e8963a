"""Which issues `weft run` takes: every spelling, each once, and none where one is unknown."""

from __future__ import annotations

import pytest
from tests.support.shop import Shop


def test_every_spelling(shop: Shop) -> None:
    """RUN-1: a number, `#` and a number, a repo's issue, a file and a prompt, each in one run."""
    shop.issues("1", "2", "3", "4")
    outside = shop.repo.write("notes/5-elsewhere.md", "# From a file\n")
    answer = shop.run("1", "#2", "shop#3", "acme/shop#4", str(outside), "fix the typo in the header")
    assert answer.code == 0
    prompted = answer.document["jobs"][-1]
    assert prompted["title"] == "fix the typo in the header"
    assert prompted["branch"] == f"weft/{prompted['issue']}-fix-the-typo-in-the-header"
    assert set(answer.statuses) == {"1", "2", "3", "4", "5", prompted["issue"]}
    assert set(answer.statuses.values()) == {"passed"}


def test_the_same_issue_runs_once(shop: Shop) -> None:
    """RUN-1: one issue by all its spellings is one job, and one prompt given twice is one."""
    shop.issues("1")
    file = str(shop.repo.path / "issues/1.md")
    answer = shop.run("1", "#1", "shop#1", "acme/shop#1", file, "issues/1.md", "add a flag", "add a flag")
    assert answer.code == 0
    assert len(answer.document["jobs"]) == 2
    assert sorted(shop.sessions()) == sorted(answer.statuses)


def test_unknown_issues_start_nothing(shop: Shop) -> None:
    """RUN-1: exit 2 names every unknown one, and not even the known one was touched."""
    shop.issues("1")
    answer = shop.run("7", "1", "#8", "other#1", "missing.md", "nonsense")
    assert (answer.code, answer.out) == (2, "")
    for unknown in ("7", "#8", "other#1", "missing.md", "nonsense"):
        assert f"unknown issue `{unknown}`" in answer.err
    assert "`1`" not in answer.err
    assert (shop.ledger(), shop.branches(), shop.runs()) == ([], set(), [])


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "abc"])
def test_a_wrong_concurrency(shop: Shop, text: str) -> None:
    """RUN-2: the exact words for a flag; a variable is named instead, a settings file with its key."""
    shop.issues("1")
    by_flag = shop.weft("run", "1", f"--concurrency={text}")
    assert by_flag.code == 2
    assert by_flag.lines[0] == f"error: Invalid --concurrency value: {text}. Must be a positive integer."
    by_variable = shop.weft("run", "1", WEFT_CONCURRENCY=text)
    assert by_variable.code == 2
    assert by_variable.lines[0] == f"error: Invalid WEFT_CONCURRENCY value: {text}. Must be a positive integer."
    shop.settings(f"concurrency = {text}" if text != "abc" else 'concurrency = "abc"')
    by_file = shop.weft("run", "1")
    assert by_file.code == 2
    for part in ("weft.toml", "run.concurrency", text, "must be a positive integer"):
        assert part in by_file.lines[0]
    assert shop.runs() == []


def test_which_concurrency_holds(shop: Shop) -> None:
    """RUN-2: flag before variable before settings before 3."""
    shop.issues("1")

    def cap(*flags: str) -> object:
        return shop.run("1", "--dry-run", *flags).document["cap"]

    assert cap() == 3
    shop.settings('phases = ["exec"]\nconcurrency = 5')
    assert cap() == 5
    shop.with_variables(WEFT_CONCURRENCY="6")
    assert cap() == 6
    assert cap("--concurrency", "7") == 7
