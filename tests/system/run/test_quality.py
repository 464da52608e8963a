"""Nothing passes that Weft did not check: gates, verdicts, the quality loop (RUN-8)."""

from __future__ import annotations

from tests.support.shop import AGENT, Shop

from weft.model.events import GatesEnded, SessionEnded

REVIEWER = """\
[phases.qa]
agent = "reviewer"

[agents.reviewer]
kind = "command"
output = "jsonl"
argv = ["/bin/sh", "{agent}", "{stage}", "{{phase}}"]
"""


def with_reviewer(shop: Shop, run: str = "", test: str = "true") -> None:
    """qa by an agent that must print its verdict."""
    shop.settings(run, test=test, more=REVIEWER.format(agent=AGENT, stage=shop.stage))


def gate_commits(shop: Shop) -> list[str | None]:
    return [event.commit for event in shop.events() if isinstance(event, GatesEnded)]


def test_a_claim_is_no_proof(shop: Shop) -> None:
    """RUN-8, principle 3: the agent and the reviewer say it is well; the tests fail; it does not pass."""
    shop.settings("quality_loop = 0", test="echo 1 test failed; exit 1")
    shop.issues("1")
    shop.does("exec", "echo x > 1.txt; echo 'All tests pass.'; exit 0")
    shop.does("qa", "exit 0")
    answer = shop.run("1")
    assert answer.code == 1
    assert answer.statuses == {"1": "failed"}
    assert "gate test failed" in answer.job("1")["reason"]
    assert shop.sessions("qa") == []


def test_the_loop_is_counted(shop: Shop) -> None:
    """RUN-8: exec runs once and then exactly `quality_loop` times more, and the job fails."""
    for loops in (0, 2):
        shop.settings(f"quality_loop = {loops}", test="false")
        shop.issues(str(loops + 1))
        answer = shop.run(str(loops + 1))
        assert answer.statuses == {str(loops + 1): "failed"}
        assert shop.sessions("exec").count(str(loops + 1)) == loops + 1


def test_three_times_by_default(shop: Shop) -> None:
    """RUN-8: the default is 3, a flag overrides it."""
    shop.settings("", test="false")
    shop.issues("1", "2")
    shop.run("1")
    shop.run("2", "--quality-loop", "1")
    assert shop.sessions("exec") == ["1"] * 4 + ["2"] * 2


def test_findings_reach_the_author(shop: Shop) -> None:
    """RUN-8: what a gate printed and what the reviewer found are in the next prompt; a first try has none."""
    shop.settings("", test="cat 1.txt; grep -q right 1.txt")
    shop.issues("1")
    shop.does("exec-1-1", "echo 'wrong number 17' > 1.txt")
    shop.does("exec-1-2", "echo 'right but ugly' > 1.txt")
    shop.does("exec-1-3", "echo 'right' > 1.txt")
    shop.does("qa", "if grep -q ugly 1.txt; then echo 'FINDING: 1.txt is ugly'; exit 1; fi")
    answer = shop.run("1")
    assert answer.statuses == {"1": "passed"}
    assert "not the first try" not in shop.prompt("1", "exec", 1)
    assert "wrong number 17" in shop.prompt("1", "exec", 2)
    assert "FINDING: 1.txt is ugly" in shop.prompt("1", "exec", 3)
    assert "wrong number 17" not in shop.prompt("1", "exec", 3)
    assert shop.repo.show("weft/1-thing-1", "1.txt") == "right"


def test_gates_run_on_what_is_handed_over(shop: Shop) -> None:
    """RUN-8, principle 3: after every change the gates run again, the last time on the very commit of the branch."""
    shop.settings("", test=f"cat 1.txt >> {shop.root}/gated; grep -q 3 1.txt")
    shop.issues("1")
    shop.does("exec", 'echo "$number" > 1.txt')
    answer = shop.run("1")
    assert (shop.root / "gated").read_text() == "1\n2\n3\n"
    commits = gate_commits(shop)
    assert len(set(commits)) == 3
    assert commits[-1] == shop.repo.tip("weft/1-thing-1") == answer.job("1")["commit"]


def test_text_that_is_no_verdict(shop: Shop) -> None:
    """RUN-8: a reviewer that must give a verdict and says something else has not approved."""
    with_reviewer(shop, "quality_loop = 1")
    shop.issues("1")
    shop.does("qa", "echo 'Looks good to me, approved: true'")
    answer = shop.run("1")
    assert answer.statuses == {"1": "failed"}
    assert answer.job("1")["reason"].startswith("Phase qa failed")
    assert shop.sessions("exec") == ["1", "1"]
    assert "The review gave no valid verdict" in shop.prompt("1", "exec", 2)


def test_a_verdict(shop: Shop) -> None:
    """RUN-8: a structured verdict refuses with its findings, then approves."""
    with_reviewer(shop)
    shop.issues("1")
    shop.does("exec", 'echo "$number" > 1.txt')
    refused = '{"type":"verdict","approved":false,"findings":["1.txt:1: wants a two"]}'
    shop.does("qa-1-1", f"echo '{refused}'")
    shop.does("qa-1-2", """echo '{"type":"verdict","approved":true,"findings":[]}'""")
    answer = shop.run("1")
    assert answer.statuses == {"1": "passed"}
    assert "1.txt:1: wants a two" in shop.prompt("1", "exec", 2)
    assert [phase["attempts"] for phase in answer.job("1")["phases"]] == [1, 2, 2]


def test_an_approval_with_a_failing_exit(shop: Shop) -> None:
    """RUN-8: a reviewer that approves and then crashes has not approved."""
    with_reviewer(shop, "quality_loop = 0")
    shop.issues("1")
    shop.does("qa", """echo '{"type":"verdict","approved":true,"findings":[]}'; exit 9""")
    assert shop.run("1").statuses == {"1": "failed"}


def test_a_reviewer_that_edits(shop: Shop) -> None:
    """RUN-8, principles 2 and 3: its edits and commits are on saved refs; what is handed over is what was gated."""
    shop.settings("", test="grep -q good 1.txt")
    shop.issues("1")
    shop.does("exec", "echo good > 1.txt")
    shop.does("qa", "echo spoiled > 1.txt; git commit -qam spoiled; echo extra > extra.txt; exit 0")
    answer = shop.run("1")
    assert answer.statuses == {"1": "passed"}
    assert shop.repo.show("weft/1-thing-1", "1.txt") == "good"
    assert "extra.txt" not in shop.repo.files("weft/1-thing-1")
    assert gate_commits(shop)[-1] == shop.repo.tip("weft/1-thing-1")
    saved = {ref for event in shop.events() if isinstance(event, SessionEnded) for ref in event.outcome.saved}
    assert {shop.repo.show(ref, "1.txt") for ref in saved} == {"spoiled"}
    assert any(shop.repo.show(ref, "extra.txt") == "extra" for ref in saved if "extra.txt" in shop.repo.files(ref))


def test_what_gates_leave_is_not_handed_over(shop: Shop) -> None:
    """Principle 3: files that a gate writes or changes are not part of the work."""
    shop.settings("", test="echo cache > cache.tmp; echo changed >> 1.txt; grep -q good 1.txt")
    shop.issues("1")
    shop.does("exec", "echo good > 1.txt")
    assert shop.run("1").statuses == {"1": "passed"}
    assert shop.repo.show("weft/1-thing-1", "1.txt") == "good"
    assert shop.repo.files("weft/1-thing-1") == shop.repo.files("main") | {"1.txt"}
    assert shop.worktrees() == []


def test_every_gate_is_told(shop: Shop) -> None:
    """RUN-8: all gates run, in their order, and every failing one is a finding."""
    shop.settings("quality_loop = 1", test="echo T; exit 1")
    text = (shop.repo.path / "weft.toml").read_text()
    gates = text.replace('lint = ""', 'lint = "echo L; exit 2"').replace('typecheck = ""', 'typecheck = "true"')
    shop.repo.write("weft.toml", gates)
    shop.issues("1")
    answer = shop.run("1")
    assert "gates test, lint failed" in answer.job("1")["reason"]
    prompt = shop.prompt("1", "exec", 2)
    assert prompt.index("failed with exit status 1:\nT") < prompt.index("failed with exit status 2:\nL")


def test_gates_that_are_found(shop: Shop) -> None:
    """RUN-8: where settings say nothing, the repo's own are found and run."""
    shop.settings("quality_loop = 0")
    text = (shop.repo.path / "weft.toml").read_text()
    shop.repo.write("weft.toml", text.replace('test = ""\n', ""))
    shop.repo.write("Makefile", "test:\n\t@echo made; false\n")
    shop.issues("1")
    answer = shop.run("1")
    assert answer.statuses == {"1": "failed"}
    assert "gate test failed" in answer.job("1")["reason"]
