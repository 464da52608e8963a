"""Where tasks start, where their work ends, and that nobody is flooded with it (PROJ-9, PROJ-10)."""

from __future__ import annotations

from pathlib import Path

from tests.git_repo import GitRepo
from tests.support.estate import Estate, statuses


def test_an_unmerged_change_keeps_its_task_from_running(estate: Estate) -> None:
    """PROJ-9: while the branch of an earlier run is not merged, its task is not run again, not even by `--again`; once
    it is merged, or squashed, it is.
    """
    repo = estate.project("a")
    assert estate.run().code == 0
    answer = estate.run("--again")
    assert answer.document["run"] is None
    reason = "branch `weft/tidy` holds a change that is not merged yet; merge or delete it"
    assert answer.document["projects"][0]["reason"] == reason
    repo.git("merge", "-q", "--squash", "weft/tidy")
    repo.commit("Tidied up")
    estate.does("exec", "echo more >> tidy.txt")
    assert statuses(estate.run("--again").document) == {"a": "passed"}
    repo.git("merge", "-q", "weft/tidy")
    assert statuses(estate.run("--again").document) == {"a": "passed"}


def test_a_deleted_branch_is_an_answer_too(estate: Estate) -> None:
    """PROJ-9: who deletes the branch does not want the change; the task may run again."""
    repo = estate.project("a")
    assert estate.run().code == 0
    repo.git("branch", "-D", "weft/tidy")
    assert statuses(estate.run("--again").document) == {"a": "passed"}


def test_a_branch_that_nobody_knows_is_left_alone(estate: Estate) -> None:
    """PROJ-9: a branch of that name with work of its own counts as open, also where no run is known that made it."""
    repo = estate.project("a")
    repo.branch("weft/tidy", {"x.txt": "mine\n"})
    assert estate.run().document["run"] is None
    assert repo.git("show", "weft/tidy:x.txt") == "mine"


def test_what_a_failed_try_left_does_not_block(estate: Estate) -> None:
    """PROJ-4, PROJ-9: the branch of a task that failed is no change to merge."""
    estate.project("a")
    estate.settings(test="test ! -e tidy.txt")
    assert estate.run().code == 1
    estate.settings()
    assert statuses(estate.run().document) == {"a": "passed"}


def remote_of(estate: Estate, name: str) -> tuple[GitRepo, Path]:
    """A project whose remote moved on since it was fetched."""
    repo = estate.project(name)
    bare = estate.root / "remotes" / f"{name}.git"
    repo.git("clone", "-q", "--bare", str(repo.path), str(bare))
    repo.git("remote", "add", "origin", str(bare))
    repo.git("fetch", "-q", "origin")
    repo.git("remote", "set-head", "origin", "main")
    return repo, bare


def move_on(repo: GitRepo, bare: Path, branch: str, file: str) -> None:
    other = bare.with_suffix(".other")
    repo.git("clone", "-q", str(bare), str(other))
    inside = GitRepo.opened(other, repo.path.parent / "home")
    inside.git("switch", "-q", "-C", branch)
    inside.write(file, "new\n")
    inside.commit(file)
    inside.git("push", "-q", "origin", branch)


def test_tasks_start_from_the_remote_and_leave_the_checkout_alone(estate: Estate) -> None:
    """PROJ-10: a task starts from the remote's default branch as it is now, whatever is checked out and however dirty
    that is; the user's checkout, branches and index stay as they were.
    """
    repo, bare = remote_of(estate, "a")
    move_on(repo, bare, "main", "from-remote.txt")
    repo.git("switch", "-q", "-c", "feature")
    repo.write("README.md", "being edited\n")
    repo.write("scratch.txt", "scratch\n")
    before = (repo.git("status", "--porcelain"), repo.git("rev-parse", "main", "feature"))
    assert statuses(estate.run().document) == {"a": "passed"}
    assert (repo.git("status", "--porcelain"), repo.git("rev-parse", "main", "feature")) == before
    assert repo.git("ls-tree", "--name-only", "weft/tidy").split() == ["README.md", "from-remote.txt", "tidy.txt"]


def test_a_configured_branch(estate: Estate) -> None:
    """PROJ-10: `branch` names another one; the remote's goes before the user's own of that name."""
    repo, bare = remote_of(estate, "a")
    move_on(repo, bare, "develop", "developed.txt")
    repo.git("branch", "develop", "main")
    text = (estate.root / "weft.toml").read_text()
    (estate.root / "weft.toml").write_text(text.replace('path = "a"', 'path = "a"\nbranch = "develop"'))
    assert statuses(estate.run().document) == {"a": "passed"}
    assert "developed.txt" in repo.git("ls-tree", "--name-only", "weft/tidy")


def test_an_unreachable_remote_is_told_and_worked_around(estate: Estate) -> None:
    """PROJ-10: a remote that does not answer does not stop a project; what was fetched before is used."""
    _, bare = remote_of(estate, "a")
    bare.rename(bare.with_suffix(".gone"))
    answer = estate.run()
    assert statuses(answer.document) == {"a": "passed"}
    assert f"warning: `{estate.root}/a` starts from what was fetched before: `git fetch" in answer.err


def test_a_branch_that_is_not_there_is_the_projects_error(estate: Estate) -> None:
    """PROJ-6: it fails its project alone."""
    estate.project("a", more='branch = "nope"')
    estate.project("b")
    estate.settings("[schedule]\nmax_projects = 2")
    answer = estate.run()
    assert answer.code == 1
    assert statuses(answer.document) == {"a": "failed", "b": "passed"}
    assert "branch = `nope`" in answer.document["errors"][0]["message"]


def test_a_project_has_gates_and_an_agent_of_its_own(estate: Estate) -> None:
    """PROJ-1: a project's own `weft.toml` says how it is checked, and `backend` who works on it."""
    repo = estate.project("a", more='backend = "other"')
    repo.write("weft.toml", '[gates]\ntest = "test -e other.txt"\n')
    repo.commit("settings")
    more = '[agents.other]\nkind = "command"\nargv = ["/bin/sh", "-c", "echo x > other.txt"]'
    estate.settings(more)
    assert statuses(estate.run().document) == {"a": "passed"}
    assert estate.sessions() == []


def test_bad_settings_of_one_project_are_its_own_error(estate: Estate) -> None:
    """PROJ-6: what is wrong in a project's own `weft.toml` fails that project alone."""
    repo = estate.project("a")
    repo.write("weft.toml", '[gates]\ntset = "x"\n')
    repo.commit("settings")
    estate.project("b")
    estate.settings("[schedule]\nmax_projects = 2")
    answer = estate.run()
    assert statuses(answer.document) == {"a": "failed", "b": "passed"}
    assert "gates.tset: unknown key" in answer.document["errors"][0]["message"]


def test_a_task_of_ones_own_has_its_gate(estate: Estate) -> None:
    """PROJ-1: `[tasks.NAME] gate` must hold on what the task changed, besides the repo's gates."""
    repo = estate.project("a", ("mine", "tidy"))
    estate.settings(
        '[tasks.mine]\nprompt = "mine.md"\ntitle = "My own"\n'
        'gate = "test \\"$(git diff --name-only $WEFT_BASE_COMMIT)\\" = right.txt"\n'
    )
    (estate.root / "mine.md").write_text("Do it like this.\n")
    estate.does("exec-a-mine", 'if grep -q "like this"; then echo x > right.txt; fi')
    answer = estate.run()
    assert statuses(answer.document) == {"a": "passed"}, answer.document["errors"]
    assert repo.git("log", "-1", "--format=%s", "weft/mine") == "My own"
    repo.git("branch", "-D", "weft/mine")
    estate.does("exec-a-mine", "echo x > wrong.txt")
    assert "gate task failed" in estate.run("--task", "mine").document["errors"][0]["message"]


def test_a_task_that_is_switched_off(estate: Estate) -> None:
    """PROJ-1: `enabled = false` keeps a task from running wherever it is listed."""
    estate.project("a", ("lint-fix", "tidy"))
    estate.settings("[tasks.lint-fix]\nenabled = false")
    document = estate.run().document
    assert [job["key"] for job in document["jobs"]] == ["a#tidy"]
    assert document["projects"][0]["left_out"] == [{"task": "lint-fix", "why": "`tasks.lint-fix.enabled` is false"}]


def test_the_remote_says_which_branch_is_its_default(estate: Estate) -> None:
    """PROJ-10: also where the repo was not cloned but given its remote later, so that git never noted the default
    branch, and where the remote has another one by now.
    """
    repo, bare = remote_of(estate, "a")
    repo.git("remote", "set-head", "origin", "--delete")
    move_on(repo, bare, "trunk", "from-trunk.txt")
    repo.git("--git-dir", str(bare), "symbolic-ref", "HEAD", "refs/heads/trunk")
    assert statuses(estate.run().document) == {"a": "passed"}
    assert repo.git("show", "weft/tidy:from-trunk.txt") == "new"
    repo.git("branch", "-D", "weft/tidy")
    repo.git("--git-dir", str(bare), "branch", "-q", "-m", "trunk", "develop")
    assert statuses(estate.run("--again").document) == {"a": "passed"}
    assert repo.git("symbolic-ref", "refs/remotes/origin/HEAD") == "refs/remotes/origin/develop"
