"""What a reviewer reads in a pull request."""

from __future__ import annotations

from weft.model.outcome import GateResult
from weft.model.usage import Usage
from weft.pipelines.template import Template
from weft.sources.github.pull_request_text import (
    IssueRole,
    LeftOut,
    PullRequestFacts,
    pull_request_body,
    pull_request_title,
    template_problems,
)

FACTS = PullRequestFacts(
    issues=("101",),
    role=IssueRole.CLOSED,
    run="r-1",
    summary="Added a form.",
    gates=(
        GateResult("test", "pytest -q | tee log", True, 0, 12.0),
        GateResult("lint", "ruff `x`", False, 1, 0.4),
    ),
    usage=Usage(1200, 300, 0, 0.31, 3),
    seconds=242.0,
)


def test_a_single_run() -> None:
    """What was done, the gates with their results, the cost, and how to have it done again."""
    assert pull_request_body(FACTS) == (
        "Closes #101\n"
        "\n"
        "### What was done\n"
        "\n"
        "Added a form.\n"
        "\n"
        "### Checks that Weft ran\n"
        "\n"
        "| check | result | time |\n"
        "| --- | --- | --- |\n"
        "| test: `` pytest -q \\| tee log `` | ✔ passed | 12s |\n"
        "| lint: `` ruff ʹxʹ `` | ✘ failed with status 1 | 0.4s |\n"
        "\n"
        "### Work\n"
        "\n"
        "run `r-1` · 3 sessions · 4m 2s · 1,200 tokens in, 300 out · $0.31\n"
        "\n"
        "To have it done again: `weft run 101 --force`. "
        "What is written outside of this text stays when Weft brings it up to date."
    )


def test_a_wave() -> None:
    """WAVE-11: the repo's own issues by `Issue: #N`, which closes nothing, and what was parked and why."""
    body = pull_request_body(
        PullRequestFacts(
            issues=("1", "2"),
            role=IssueRole.NAMED,
            run="r-1",
            left=(LeftOut("3", "unmet dependency api#7"), LeftOut("api#7", "conflict, says @octocat")),
            again="weft wave run M1",
        )
    )
    assert body.startswith("Issue: #1\nIssue: #2\n")
    assert "Closes" not in body
    assert "- #3: unmet dependency api#\u200b7\n- api#\u200b7: conflict, says @\u200boctocat" in body
    assert "None: the repo has no gates." in body
    assert "$?" in body
    assert "`weft wave run M1`" in body


def test_agents_words_trigger_nothing() -> None:
    """SEC-2: only Weft's own line closes an issue; no part of the body can be taken for its end."""
    facts = PullRequestFacts(("1",), IssueRole.CLOSED, "r-1", summary="Fixes #2 @octocat <!-- weft:end --> {{left}}")
    body = pull_request_body(facts)
    assert "#2" not in body
    assert "@octocat" not in body
    assert "<!--" not in body
    assert "{{left}}" in body
    assert body.count("#1") == 1


def test_length() -> None:
    """GitHub takes 65,536 characters."""
    facts = PullRequestFacts(("1",), IssueRole.CLOSED, "r-1", summary="@a" * 1_000_000)
    assert len(pull_request_body(facts)) < 65_536


def test_a_template_of_ones_own() -> None:
    """With the same values; a wrong name is told with its line."""
    own = Template("pr.md", "{{issues}}: {{summary}}")
    assert pull_request_body(FACTS, own) == "Closes #101: Added a form."
    assert template_problems(own) == []
    [problem] = template_problems(Template("pr.md", "\n{{sumary}}"))
    assert problem.startswith("pr.md, line 2: unknown variable `{{sumary}}`; did you mean `summary`?")


def test_titles() -> None:
    """An issue's title, in one line; never empty, and safe as a commit message."""
    assert pull_request_title("Add\nlogin; $(rm -rf /)") == "Add login; $(rm -rf /)"
    assert pull_request_title("Fixes #7") == "Fixes #\u200b7"
    assert pull_request_title("\u202e") == "Changes by Weft"
