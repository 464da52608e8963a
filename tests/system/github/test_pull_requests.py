"""What is handed over: base, text, drafts, templates, comments and labels; and what counts as finished."""

from __future__ import annotations

from tests.support.github_shop import GithubShop


def test_what_a_reviewer_reads(hub: GithubShop) -> None:
    """What was done, the gates with their results, cost, and how to have it done again."""
    hub.settings('phases = ["exec", "qa"]', test="test -e 1.txt")
    hub.issues(1)
    hub.shop.does("exec", 'echo "I wrote the file."; echo 1 > 1.txt')
    answer = hub.shop.run("1")
    assert answer.code == 0, answer.err
    body = hub.pulls()["weft/1-thing-1"].body or ""
    assert "Closes #1" in body.splitlines()
    assert "I wrote the file." in body
    assert "| test: `` test -e 1.txt `` | ✔ passed |" in body
    assert f"run `{answer.document['run']}` · 2 sessions" in body
    assert "weft run 1 --force" in body


def test_a_chain(hub: GithubShop) -> None:
    """RUN-5: each pull request's base is the branch before it; a finished one gives its branch."""
    hub.issues(1, 2, 3)
    assert hub.shop.run("1").code == 0
    answer = hub.shop.run("1", "2", "3", "--chain")
    assert answer.code == 0, answer.err
    assert answer.statuses == {"1": "skipped", "2": "passed", "3": "passed"}
    assert {pull.head: pull.base for pull in hub.pulls().values()} == {
        "weft/1-thing-1": "main",
        "weft/2-thing-2": "weft/1-thing-1",
        "weft/3-thing-3": "weft/2-thing-2",
    }
    assert len(hub.pushed("weft/3-thing-3")) == 3


def test_an_open_pull_request_is_finished(hub: GithubShop) -> None:
    """RUN-20: also where another made it; `--force` runs it again."""
    hub.issues(1)
    hub.shop.repo.git("push", "-q", str(hub.repo.folder), "main:weft/1-thing-1")
    pull = hub.repo.pull("weft/1-thing-1", "main", "By another")
    answer = hub.shop.run("1")
    assert answer.statuses == {"1": "skipped"}
    assert answer.job("1")["pull_request"] == pull.number
    assert f"pull request #{pull.number} is open" in answer.job("1")["reason"]
    assert not hub.shop.sessions()
    assert hub.shop.run("1", "--force").statuses == {"1": "passed"}
    assert list(hub.pulls()) == ["weft/1-thing-1"]


def test_work_that_was_left_as_a_branch(hub: GithubShop) -> None:
    """What passed with `--merge none` gets its pull request when one is wanted, and no agent works again."""
    hub.issues(1)
    assert hub.shop.run("1", "--merge", "none").statuses == {"1": "passed"}
    assert not hub.pulls()
    assert hub.shop.run("1").statuses == {"1": "passed"}
    assert list(hub.pulls()) == ["weft/1-thing-1"]
    assert hub.shop.sessions() == ["1"]


def test_settings_of_pull_requests(hub: GithubShop) -> None:
    """`[github]`: drafts, a template of one's own, a label and a comment on the issue, each once."""
    hub.shop.repo.write("pr.md", "{{issues}}\n\nMine: {{summary}}\n")
    more = '[github]\ndraft = true\ntemplate = "pr.md"\nlabel = "has pull request"\ncomment = true'
    hub.settings(more=more)
    hub.issues(1)
    hub.shop.does("exec", "echo Done.; echo 1 > 1.txt")
    for args in ((), ("--force",)):
        answer = hub.shop.run("1", *args)
        assert answer.code == 0, answer.err
    pull = hub.pulls()["weft/1-thing-1"]
    assert pull.draft
    assert "Mine: Done." in (pull.body or "")
    assert hub.repo.issues[1].labels == ["has pull request"]
    (comment,) = hub.repo.issues[1].comments
    assert f"pull request #{pull.number}" in comment.body
    assert "Weft made" not in hub.shop.prompt("1", "exec"), "Weft's own comments are no part of the issue"


def test_a_bad_template(hub: GithubShop) -> None:
    """A template that asks for what there is not is exit 2 before anything starts, with the line."""
    hub.shop.repo.write("pr.md", "{{issues}}\n{{sumary}}\n")
    hub.settings(more='[github]\ntemplate = "pr.md"')
    hub.issues(1)
    answer = hub.shop.run("1")
    assert answer.code == 2
    assert "pr.md, line 2" in answer.err


def test_issues_of_a_folder(hub: GithubShop) -> None:
    """`--merge pr` works with issues in a folder; their numbers are not GitHub's, so nothing is closed."""
    hub.shop.settings(more=f'[issues]\napi_url = "{hub.server.api_url}"')
    hub.shop.issues("5")
    answer = hub.shop.run("5", "--merge", "pr")
    assert answer.code == 0, answer.err
    assert "#5" not in (hub.pulls()["weft/5-thing-5"].body or "")


def test_without_a_remote(hub: GithubShop) -> None:
    """The default is to make pull requests where there is a remote; without one branches are left."""
    hub.settings(issues='repo = "acme/shop"')
    hub.shop.repo.git("remote", "remove", "origin")
    hub.issues(1)
    answer = hub.shop.run("1")
    assert answer.statuses == {"1": "passed"}, answer.err
    assert not hub.pulls()
