"""The main promise: several issues at once, one fails, the others' work is on branches and nothing else has changed."""

from __future__ import annotations

import pytest
from tests.support.shop import Shop


@pytest.fixture
def four(shop: Shop) -> Shop:
    """The whole pipeline; the gate wants each issue's file, and 3's agent never writes it."""
    shop.settings("", test="ls [0-9]*.txt")
    shop.issues("1", "2", "3", "4")
    shop.does("exec-3", "echo 'half of it' > half.tmp; echo 'cannot do 3'; exit 1")
    return shop


def test_three_pass_one_fails(four: Shop) -> None:
    """RUN-4, RUN-16, principle 3: three pass, the run is exit 1, and each branch holds its work and nothing else's."""
    answer = four.run("1", "2", "3", "4")
    assert answer.code == 1
    assert answer.statuses == {"1": "passed", "2": "passed", "3": "failed", "4": "passed"}
    assert four.branches() == {f"weft/{n}-thing-{n}" for n in "1234"}
    for ident in "124":
        branch = f"weft/{ident}-thing-{ident}"
        assert answer.job(ident)["branch"] == branch
        assert answer.job(ident)["commit"] == four.repo.tip(branch)
        assert four.repo.git("diff", "--name-only", "main", branch) == f"{ident}.txt"
    assert four.repo.tip("weft/3-thing-3") == four.repo.tip("main")


def test_the_users_checkout_is_untouched(four: Shop) -> None:
    """Principle 2: HEAD, index, files, stash and config are as they were, dirty work included."""
    four.repo.write("stashed.txt", "put away")
    four.repo.git("stash", "--include-untracked")
    four.repo.write("README.md", "edited and not committed\n")
    four.repo.write("staged.txt", "staged\n")
    four.repo.git("add", "staged.txt")
    four.repo.write("untracked.txt", "mine\n")
    before = four.repo.checkout_state()
    assert four.run("1", "2", "3", "4").code == 1
    assert four.repo.checkout_state() == before


def test_no_debris(four: Shop) -> None:
    """RUN-14: what passed leaves a branch and no worktree; what failed keeps its own, its work on a saved ref too."""
    four.run("1", "2", "3", "4")
    assert four.debris() == []
    assert [path.name for path in four.worktrees()] == ["shop.3"]
    assert four.repo.git("status", "--porcelain", cwd=four.worktrees()[0]) == "?? half.tmp"
    (saved,) = four.repo.saved()
    assert four.repo.show(saved, "half.tmp") == "half of it"


@pytest.mark.parametrize("where", ["subfolder", "worktree"])
def test_from_elsewhere_in_the_repo(four: Shop, where: str) -> None:
    """From a subfolder and from another worktree of the repo it is the same run."""
    folder = four.repo.path / "docs"
    if where == "worktree":
        folder = four.root / "elsewhere"
        four.repo.git("worktree", "add", "-q", "-b", "mine", str(folder))
    folder.mkdir(exist_ok=True)
    answer = four.run("1", "2", "3", "4", cwd=folder)
    assert answer.statuses == {"1": "passed", "2": "passed", "3": "failed", "4": "passed"}
    assert answer.job("1")["key"] == "shop#1"
    assert four.debris() == []
