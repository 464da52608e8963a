"""Agents' words on a tracker's pages trigger nothing (SEC-2)."""

from __future__ import annotations

import re

import pytest

from weft.pipelines.defuse import defuse, defuse_line

LIVE = [
    "@octocat",
    "hello @acme/team!",
    "(@a)",
    "\\@octocat",
    "fixes #1",
    "Closes: #12, resolves acme/shop#3",
    "fix GH-7",
    "closes https://github.com/acme/shop/issues/4",
    "see /acme/shop/pull/5",
    "&#64;octocat",
    "&commat;octocat and fixes &num;1",
    "fixes &#35;1",
    "<!-- weft:begin -->",
    "<img src=x>",
    "![x](https://elsewhere.example/x.png)",
    "/merge",
    "text\n  /lgtm",
]
TRIGGERS = re.compile(
    r"@[A-Za-z0-9]|#\d|GH-\d|/(issues|pull)/\d|&[#A-Za-z]|<[A-Za-z!/]|!\[|^[ \t]*/[a-z]", re.IGNORECASE | re.MULTILINE
)


@pytest.mark.parametrize("text", LIVE)
def test_nothing_is_triggered(text: str) -> None:
    """Each is live as written, and is not afterwards, though it reads the same."""
    assert TRIGGERS.search(text)
    safe = defuse(text)
    assert not TRIGGERS.search(safe)
    assert safe.replace("\u200b", "") == text


@pytest.mark.parametrize(
    "text", ["a < b && c > d", "# Heading", "a@", "C# 7", "1/2", "see src/issues/list.py", "! [x]"]
)
def test_plain_text_stays(text: str) -> None:
    """Nothing is changed that triggers nothing."""
    assert defuse(text) == text


def test_a_break_of_ones_own_does_not_help() -> None:
    """Characters without width that the agent wrote are taken away first."""
    assert defuse("@\u200boctocat fixes #\u20601") == defuse("@octocat fixes #1")


def test_in_one_line() -> None:
    """Titles: one line, of bounded length, and safe as a commit message."""
    assert defuse_line("Fixes #1\nby @octocat") == "Fixes #\u200b1 by @\u200boctocat"
    assert len(defuse_line("x" * 1000)) == 200
