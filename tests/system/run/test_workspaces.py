"""A job's workspace and branch: how they are named, made, furnished, used again and told about (RUN-6)."""

from __future__ import annotations

from tests.support.shop import Shop


def test_branch_names(shop: Shop) -> None:
    """RUN-6: `weft/<id>-<slug of the title>`, or the prefix that settings give; git's config is not written."""
    shop.issue("7", title="Add LOGIN, and (maybe) a log-out?")
    shop.repo.commit("issue")
    config = (shop.repo.path / ".git/config").read_text()
    assert shop.run("7").job("7")["branch"] == "weft/7-add-login-and-maybe-a-log-out"
    shop.settings('phases = ["exec"]\nbranch_prefix = "bot/x-"')
    assert shop.run("7", "--force").job("7")["branch"] == "bot/x-7-add-login-and-maybe-a-log-out"
    assert shop.branches() == {"weft/7-add-login-and-maybe-a-log-out", "bot/x-7-add-login-and-maybe-a-log-out"}
    assert (shop.repo.path / ".git/config").read_text() == config


def test_a_branch_named_weft(shop: Shop) -> None:
    """RUN-6: it makes `weft/…` impossible in git: exit 2 before anything starts, with the setting that helps."""
    shop.issues("1")
    shop.repo.git("branch", "weft")
    answer = shop.weft("run", "1")
    assert answer.code == 2
    assert "branch `weft`" in answer.lines[0]
    assert answer.lines[1].startswith("hint: ")
    assert "branch_prefix" in answer.lines[1]
    assert (shop.runs(), shop.worktrees()) == ([], [])


def test_one_that_cannot_be_made(shop: Shop) -> None:
    """RUN-6: the branch is checked out by the user: that issue fails with the reason, the others go on."""
    shop.issues("1", "2")
    shop.repo.git("worktree", "add", "-q", "-b", "weft/1-thing-1", str(shop.root / "mine"))
    shop.repo.write("mine.txt", "mine\n", inside=shop.root / "mine")
    answer = shop.run("1", "2")
    assert answer.code == 1
    assert answer.statuses == {"1": "failed", "2": "passed"}
    assert str(shop.root / "mine") in answer.job("1")["reason"]
    assert (shop.root / "mine/mine.txt").read_text() == "mine\n"
    assert shop.sessions() == ["2"]


def test_what_an_earlier_run_left_is_saved(shop: Shop) -> None:
    """RUN-6, principle 2: work that a failed run left, committed or not, is on a ref before the issue starts afresh."""
    shop.settings("")
    shop.issues("1")
    shop.does("exec-1", "echo a > committed.txt; git add . && git commit -qm one; echo b > loose.txt; exit 1")
    first = shop.run("1")
    assert first.statuses == {"1": "failed"}
    shop.does("exec-1", "ls > found; echo done > 1.txt")
    second = shop.run("1")
    assert second.statuses == {"1": "passed"}
    assert shop.repo.files("weft/1-thing-1") >= {"found", "1.txt"}
    assert not {"committed.txt", "loose.txt"} & set(shop.repo.show("weft/1-thing-1", "found").split())
    saved = [shop.repo.files(ref) for ref in shop.repo.saved()]
    assert any({"committed.txt", "loose.txt"} <= files for files in saved)


def test_a_clean_one_is_used_again(shop: Shop) -> None:
    """RUN-6: the worktree of a failed run that left nothing is taken as it is: its set-up does not run twice."""
    count = f"echo x >> {shop.root}/set-up"
    shop.settings(more=f'[workspace]\nsetup = "{count}"')
    shop.issues("1")
    shop.does("exec-1", "exit 1")
    assert shop.run("1").code == 1
    shop.does("exec-1", "echo done > 1.txt")
    assert shop.run("1").code == 0
    assert (shop.root / "set-up").read_text() == "x\n"
    assert shop.repo.saved() == []


def test_set_up(shop: Shop) -> None:
    """RUN-6: files are copied and linked from the main checkout, then the command runs once, before the first phase."""
    shop.repo.write(".gitignore", ".env\nnode_modules\nbuilt\n")
    shop.settings(
        more='[workspace]\nsetup = "cat .env node_modules/a > built"\ncopy = [".env"]\nlink = ["node_modules"]'
    )
    shop.issues("1")
    shop.repo.write(".env", "KEY=1\n")
    shop.repo.write("node_modules/a", "module\n")
    shop.does("exec-1", "cat built > 1.txt; echo KEY=2 > .env; readlink node_modules > link.txt")
    answer = shop.run("1")
    assert answer.code == 0
    assert shop.repo.show("weft/1-thing-1", "1.txt") == "KEY=1\nmodule"
    assert shop.repo.show("weft/1-thing-1", "link.txt") == str(shop.repo.path / "node_modules")
    assert (shop.repo.path / ".env").read_text() == "KEY=1\n"
    assert (shop.repo.path / "node_modules/a").read_text() == "module\n"


def test_a_set_up_that_fails(shop: Shop) -> None:
    """RUN-6: failing it fails the job with its output, before any session."""
    shop.settings(more='[workspace]\nsetup = "echo the registry is down >&2; exit 3"')
    shop.issues("1", "2")
    answer = shop.weft("run", "1", "2")
    assert answer.code == 1
    assert "the registry is down" in answer.out
    assert "status 3" in answer.out
    assert shop.ledger() == []
    assert shop.debris() == []


def test_a_missing_file_to_copy(shop: Shop) -> None:
    """RUN-6: what is not there fails the job and names the key and the path."""
    shop.settings(more='[workspace]\ncopy = [".env"]')
    shop.issues("1")
    reason = shop.run("1").job("1")["reason"]
    assert "workspace.copy" in reason
    assert ".env" in reason


def test_many_at_once(shop: Shop) -> None:
    """RUN-6: a dozen worktrees made at the same time, from a remote's branch, without one failing."""
    shop.repo.git("remote", "add", "origin", str(shop.root / "remote"))
    shop.repo.git("init", "-q", "--bare", str(shop.root / "remote"))
    shop.repo.git("push", "-q", "origin", "main")
    shop.repo.git("remote", "set-head", "origin", "main")
    idents = shop.issues(*map(str, range(1, 13)))
    config = (shop.repo.path / ".git/config").read_text()
    answer = shop.run(*idents, "--concurrency", "12")
    assert answer.code == 0, answer.out
    assert (shop.repo.path / ".git/config").read_text() == config
    assert shop.debris() == []
