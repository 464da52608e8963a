"""Several Weft processes of one user at once."""

from __future__ import annotations

from pathlib import Path

from tests.support.shop import Shop


def test_two_repos_with_one_state_folder(tmp_path: Path) -> None:
    """Both run at the same time, each with its own cap; a #1 of one is not a #1 of the other."""
    state = tmp_path / "state"
    shops = [Shop(tmp_path / name, name=name, state=state) for name in ("shop", "bank")]
    for shop in shops:
        shop.issues("1", "2", "3")
        shop.does("exec", 'hold "$id"; echo "$WEFT_JOB" > "$id.txt"')
    started = [shop.start("run", "1", "2", "3", "--concurrency", "2", "--json") for shop in shops]
    for shop, one in zip(shops, started, strict=True):
        one.until(lambda shop=shop: len(shop.all_reached()) == 2)
    shops[0].go("all")
    first = started[0].wait()
    assert first.code == 0
    assert len(shops[1].all_reached()) == 2
    shops[1].go("all")
    second = started[1].wait()
    assert second.code == 0
    for shop in shops:
        assert shop.most_at_once() == 2
        assert shop.repo.show("weft/1-thing-1", "1.txt") == f"{shop.name}#1"
        assert shop.debris() == []
    assert first.document["run"] != second.document["run"]
    assert {job["key"] for job in second.document["jobs"]} == {"bank#1", "bank#2", "bank#3"}


def test_two_runs_in_one_repo(shop: Shop) -> None:
    """Different issues of one repo, by two processes at once: both pass."""
    shop.issues("1", "2")
    shop.does("exec", 'hold "$id"; echo x > "$id.txt"')
    started = [shop.start("run", ident, "--json") for ident in ("1", "2")]
    for one in started:
        one.until(shop.reached("1", "2"))
    shop.go("all")
    assert [one.wait().code for one in started] == [0, 0]
    assert shop.branches() == {"weft/1-thing-1", "weft/2-thing-2"}
