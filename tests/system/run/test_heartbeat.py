"""The terminal never looks frozen (RUN-12)."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from tests.support.shop import Shop
from tests.support.started import Started

HURRIED = Path(__file__).parents[2] / "support/hurried_weft.py"
STILL = re.compile(r"⏳ Still running... \(\d+s elapsed\)")


def hurried(shop: Shop, *flags: str) -> Started:
    argv = [sys.executable, str(HURRIED), "0.5", "run", "1", *flags]
    return Started(argv, shop.repo.path, shop.environment, shop.root / "hurried")


def test_still_running(shop: Shop) -> None:
    """RUN-12: without a phase event the line comes, and comes again."""
    shop.issues("1")
    shop.does("exec", "hold 1; echo x > 1.txt")
    started = hurried(shop)
    started.until(lambda: len(STILL.findall(started.err)) == 2)
    shop.go("1")
    answer = started.wait()
    assert answer.code == 0
    assert answer.out.startswith("SUMMARY")


@pytest.mark.parametrize("flag", ["--quiet", "--json", "--json-stream"])
def test_not_where_it_would_disturb(shop: Shop, flag: str) -> None:
    """RUN-12: not with `--quiet` or `--json`."""
    shop.issues("1")
    shop.does("exec", "sleep 2.2; echo x > 1.txt")
    answer = hurried(shop, flag).wait()
    assert (answer.code, answer.err) == (0, "")
