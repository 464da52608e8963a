"""Issues that touch the same paths, with real sessions (WAVE-10)."""

from __future__ import annotations

from tests.system.cli.desk import Desk


def test_other_work_goes_before_an_issue_that_overlaps(desk: Desk) -> None:
    """WAVE-10, PLAN-1: #2 touches what #1 works on, so #3 goes first; `weft why` says so; all pass."""
    shop = desk.shop
    for ident in ("1", "2"):
        front = f"---\ntitle: Title {ident}\ntouches: [src/a.py]\n---\n"
        shop.repo.write(f"issues/{ident}-title.md", front)
    shop.repo.commit("touches")
    for ident in ("1", "2", "3"):
        shop.tell(ident)
    process = shop.start("run", "1", "2", "3", "--concurrency", "2", "--quiet")
    shop.wait_started("1", "3")
    assert "shop#2 waits because it touches src/a.py, which shop#1 works on\n" in desk.weft("why", "2").out
    shop.release("1")
    shop.wait_started("2")
    for ident in ("2", "3"):
        shop.release(ident)
    process.communicate()
    assert (process.returncode, desk.statuses()) == (0, dict.fromkeys("123", "passed"))
