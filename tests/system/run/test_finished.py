"""What was finished before (RUN-20), and what a dry run shows without doing it (RUN-19)."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from tests.support.shop import Shop


def test_it_is_not_run_again(shop: Shop) -> None:
    """RUN-20: passed, with its branch present: skipped, which is a success; `--force` runs it, the old work saved."""
    shop.settings("")
    shop.issues("1", "2")
    assert shop.run("1").code == 0
    first = shop.repo.tip("weft/1-thing-1")
    again = shop.run("1", "2")
    assert (again.code, again.statuses) == (0, {"1": "skipped", "2": "passed"})
    assert shop.sessions() == ["1", "2"]
    assert shop.repo.tip("weft/1-thing-1") == first
    shop.does("exec-1", "echo other > other.txt")
    forced = shop.run("1", "--force")
    assert forced.statuses == {"1": "passed"}
    assert shop.repo.files("weft/1-thing-1") == shop.repo.files("main") | {"other.txt"}
    assert first in [shop.repo.tip(ref) for ref in shop.repo.saved()]


def test_it_is_run_again_without_its_branch(shop: Shop) -> None:
    """RUN-20: git is the truth of the code: where the branch is gone the issue is not finished."""
    shop.issues("1")
    assert shop.run("1").code == 0
    shop.repo.git("branch", "-D", "weft/1-thing-1")
    again = shop.run("1")
    assert again.statuses == {"1": "passed"}
    assert shop.sessions() == ["1", "1"]


def test_merged_is_finished(shop: Shop) -> None:
    """RUN-20: merged into the base and its branch deleted, it is finished all the same."""
    shop.issues("1")
    assert shop.run("1").code == 0
    shop.repo.git("merge", "-q", "--no-ff", "weft/1-thing-1")
    assert shop.run("1").statuses == {"1": "skipped"}
    shop.repo.git("branch", "-D", "weft/1-thing-1")
    assert shop.run("1").statuses == {"1": "skipped"}
    assert shop.sessions() == ["1"]


def test_what_failed_is_run_again(shop: Shop) -> None:
    """RUN-20: only what passed is finished."""
    shop.issues("1")
    shop.does("exec-1", "exit 1")
    assert shop.run("1").statuses == {"1": "failed"}
    shop.does("exec-1", "echo x > 1.txt")
    assert shop.run("1").statuses == {"1": "passed"}


def test_no_change_is_measured_against_the_base(shop: Shop) -> None:
    """RUN-20: commits that come to nothing are no change; an empty commit is none either."""
    shop.issues("1", "2", "3")
    shop.does("exec-1", "echo x > x; git add x; git commit -qm x; git rm -q x; git commit -qm 'not x'")
    shop.does("exec-2", "git commit -q --allow-empty -m nothing")
    shop.does("exec-3", "true")
    answer = shop.run("1", "2", "3")
    assert answer.code == 1
    assert answer.statuses == {"1": "no_change", "2": "no_change", "3": "no_change"}


def everything(shop: Shop) -> dict[str, str]:
    """Every file of the repo and of the state folder, git's own included, with its content."""
    roots = (shop.repo.path, shop.state, shop.root / "home", shop.root / "config")
    files = [path for root in roots for path in root.rglob("*")]
    return {str(path): _content(path) for path in files}


def _content(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"


def test_a_dry_run_changes_nothing(shop: Shop) -> None:
    """RUN-19: neither in the repo nor in the state folder, where there was one before and where there was none."""
    shop.settings("", test="true")
    shop.issues("1", "2")
    before = everything(shop)
    answer = shop.weft("run", "1", "2", "--dry-run")
    assert answer.code == 0
    assert everything(shop) == before
    assert shop.run("1").code == 0
    before = everything(shop)
    assert shop.weft("run", "1", "2", "--dry-run").code == 0
    assert everything(shop) == before


def test_a_dry_run_tells_what_would_run(shop: Shop) -> None:
    """RUN-19: the issues in their order, branches, the limits, what would be skipped; nothing runs."""
    shop.settings("", test="make test")
    shop.issues("1", "2")
    shop.issue("3", front="depends_on: [2]")
    shop.repo.commit("issues")
    answer = shop.weft("run", "3", "2", "1", "--dry-run", "--concurrency", "2")
    assert answer.code == 0
    for text in ("#1", "Thing 2", "weft/3-thing-3", "make test", "2"):
        assert text in answer.out
    assert answer.out.index("weft/2-thing-2") < answer.out.index("weft/3-thing-3")
    document = json.loads(shop.weft("run", "3", "2", "1", "--dry-run", "--json").out)
    assert document["cap"] == 3
    assert shop.ledger() == []


def test_a_dry_run_finds_what_is_wrong(shop: Shop) -> None:
    """RUN-19, principle 5: bad input is exit 2 there too."""
    assert shop.weft("run", "7", "--dry-run").code == 2
