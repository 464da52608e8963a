"""Pipelines as data: phases of one's own, parts of them, what each is told of those before (RUN-7)."""

from __future__ import annotations

import pytest
from tests.support.shop import Shop

OWN = """\
name = "own"

[[phases]]
name = "draft"
steps = ["session"]
writes = true
prompt = "Draft {{title}} of {{job}} on {{branch}}."

[[phases]]
name = "check"
steps = ["gates"]
mends = "draft"

[[phases]]
name = "polish"
steps = ["session"]
writes = true
model = "best"
prompt = "It said: {{outputs.draft}} about {{id}}"
"""


def test_the_default_pipeline(shop: Shop) -> None:
    """RUN-7: spec, exec, qa, in this order; each is told what those before it answered, and the issue as it is."""
    shop.settings("", test="true")
    shop.issues("1")
    shop.does("spec", "echo 'PLAN: use a dictionary'")
    shop.does("exec", "echo x > 1.txt; echo 'CLAIM: it is done'")
    answer = shop.run("1")
    assert [(phase["name"], phase["status"]) for phase in answer.job("1")["phases"]] == [
        ("spec", "passed"),
        ("exec", "passed"),
        ("qa", "passed"),
    ]
    assert "Do 1." in shop.prompt("1", "spec")
    assert "PLAN: use a dictionary" in shop.prompt("1", "exec")
    assert "PLAN: use a dictionary" in shop.prompt("1", "qa")
    assert "CLAIM: it is done" in shop.prompt("1", "qa")
    assert "CLAIM" not in shop.prompt("1", "exec")


def test_a_pipeline_of_ones_own(shop: Shop) -> None:
    """RUN-7: phases by agent and by gates, with their own prompts and models, from a TOML file."""
    shop.settings('pipeline = "own.toml"', test="grep -q polished 1.txt || ! grep -q bad 1.txt")
    shop.repo.write("own.toml", OWN)
    shop.issues("1")
    shop.does("draft-1-1", "echo bad > 1.txt")
    shop.does("draft-1-2", "echo good > 1.txt; echo 'I drafted'")
    shop.does("polish", "echo polished >> 1.txt")
    answer = shop.run("1")
    assert answer.code == 0
    names = [(phase["name"], phase["attempts"]) for phase in answer.job("1")["phases"]]
    assert names == [("draft", 2), ("check", 2), ("polish", 1)]
    assert shop.repo.show("weft/1-thing-1", "1.txt") == "good\npolished"
    assert shop.prompt("1", "draft") == "Draft Thing 1 of shop#1 on weft/1-thing-1.\n"
    assert "I drafted" in shop.prompt("1", "polish")


def test_a_part_of_it(shop: Shop) -> None:
    """RUN-7: `--phases spec,exec` runs these two; a later run of the rest goes on from the branch as it is."""
    shop.settings("", test="test -e 1.txt")
    shop.issues("1")
    first = shop.run("1", "--phases", "spec,exec")
    assert first.code == 0
    assert [phase["name"] for phase in first.job("1")["phases"]] == ["spec", "exec"]
    assert [phase for _, _, phase, _ in shop.ledger()] == ["spec", "spec", "exec", "exec"]
    tip = shop.repo.tip("weft/1-thing-1")
    second = shop.run("1", "--phases", "qa")
    assert second.statuses == {"1": "passed"}
    assert shop.repo.tip("weft/1-thing-1") == tip
    assert shop.sessions("qa") == ["1"]


@pytest.mark.parametrize("where", ["setting", "pipeline", "file"])
def test_an_unknown_variable(shop: Shop, where: str) -> None:
    """RUN-7: an unknown variable of a template is exit 2 before anything starts, wherever the template stands."""
    bad = "Do {{titel}}"
    if where == "setting":
        shop.settings("", more=f'[phases.exec]\nprompt = "{bad}"')
    elif where == "file":
        shop.repo.write("exec.md", f"first line\n{bad}\n")
        shop.settings("", more='[phases.exec]\nprompt = "exec.md"')
    else:
        shop.repo.write("own.toml", OWN.replace("Draft {{title}}", bad))
        shop.settings('pipeline = "own.toml"')
    shop.issues("1")
    answer = shop.weft("run", "1")
    assert answer.code == 2
    assert "unknown variable `{{titel}}`" in answer.lines[0]
    assert "`{{title}}`" in answer.err or "`title`" in answer.err
    assert "Traceback" not in answer.err
    assert shop.runs() == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('steps = ["gates"]', 'steps = ["gatez"]', "gatez"),
        ('mends = "draft"', 'mends = "polish"', "polish"),
        ("writes = true", "write = true", "write"),
        ('name = "own"', 'name = "own', "own.toml"),
    ],
)
def test_a_wrong_pipeline(shop: Shop, old: str, new: str, said: str) -> None:
    """RUN-7, principle 5: what is wrong with a pipeline is exit 2 with the file and the word."""
    shop.repo.write("own.toml", OWN.replace(old, new))
    shop.settings('pipeline = "own.toml"')
    shop.issues("1")
    answer = shop.weft("run", "1")
    assert answer.code == 2
    assert "own.toml" in answer.err
    assert said in answer.err
    assert shop.runs() == []


def test_a_pipelines_own_quality_loop(shop: Shop) -> None:
    """RUN-7, RUN-8: how often work goes back is the pipeline's own number, unless a flag or setting says it."""
    shop.repo.write("own.toml", f"quality_loop = 1\n{OWN}")
    shop.settings('pipeline = "own.toml"', test="false")
    shop.issues("1", "2")
    shop.does("draft", "echo more >> text.txt")
    shop.run("1")
    shop.run("2", "--quality-loop", "0")
    assert shop.sessions("draft") == ["1", "1", "2"]


def test_a_time_limit(shop: Shop) -> None:
    """RUN-7: a phase that takes longer than its timeout is stopped, and the job fails with the reason."""
    shop.settings(more='[phases.exec]\ntimeout = "300ms"', grace="0s")
    shop.issues("1")
    shop.does("exec", "sleep 600")
    answer = shop.run("1")
    assert answer.statuses == {"1": "failed"}
    assert "time limit" in answer.job("1")["reason"]
    assert shop.debris() == []
