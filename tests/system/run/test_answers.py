"""An agent asks, a person answers, the job goes on (UI-4): in a run under way, and after it. The real command line."""

from __future__ import annotations

import json

import pytest
from tests.support.shop import Shop

from weft.model.events import AnswerGiven, JobEnded, SessionEnded
from weft.model.job import JobStatus
from weft.model.phase import FailureClass

ASK = 'echo \'{"type":"question","text":"Which colour?"}\'\n'
WORK = 'echo "work on $id" > "$id.txt"\n'
PASS_IF_TOLD = f'if grep -q "A person answers: blue"; then {WORK.strip()}; else {ASK.strip()}; fi\n'
"""The prompt is on its stdin."""


def asking(shop: Shop, run: str = 'phases = ["exec"]') -> None:
    shop.settings(run, more='output = "jsonl"')


def parked(shop: Shop) -> bool:
    return any(isinstance(event, JobEnded) and event.status is JobStatus.PARKED for event in shop.events())


def test_a_question_parks_the_job_and_is_never_tried_again(shop: Shop) -> None:
    """UI-4: who asks is not asked twice, whatever `retry` says; the reason is the question."""
    shop.settings(
        'phases = ["exec"]',
        more='output = "jsonl"\n[phases.exec]\nretry = { classes = ["question"], times = 3, backoff = "0s" }',
    )
    shop.issues("1")
    shop.does("exec", ASK)
    answer = shop.run("1")
    assert (answer.code, answer.statuses) == (1, {"1": "parked"})
    assert answer.job("1")["reason"] == "asks: Which colour?"
    assert shop.sessions() == ["1"]


def test_a_person_answers_in_a_run_under_way(shop: Shop) -> None:
    """UI-4: the parked job wakes with the answer in its prompt and passes; one that waited for it is done too."""
    asking(shop)
    shop.issue("2", front="depends_on: [1]")
    shop.issues("1", "3")
    shop.does("exec-1", PASS_IF_TOLD)
    shop.does("exec-3", f"hold three\n{WORK}")
    run = shop.start("run", "1", "2", "3", "--json")
    run.until(lambda: shop.runs() and parked(shop))
    run.until(shop.reached("three"))
    said = shop.weft("answer", "1", "blue", "--json")
    assert said.code == 0, said.err
    assert (said.document["job"], said.document["used_by"]) == ("shop#1", "this run")
    shop.go("three")
    answer = run.wait()
    assert (answer.code, answer.statuses) == (0, {"1": "passed", "2": "passed", "3": "passed"})
    assert sum(isinstance(event, AnswerGiven) for event in shop.events()) == 1


def test_a_person_answers_when_the_run_is_over(shop: Shop) -> None:
    """UI-4: the answer is kept, the inbox is empty, the named command uses it, and it is gone once the job passed."""
    asking(shop)
    shop.issues("1")
    shop.does("exec", PASS_IF_TOLD)
    assert shop.run("1").statuses == {"1": "parked"}
    (item,) = json.loads(shop.weft("status", "--json").out)["inbox"]
    assert (item["kind"], item["job"], item["reason"]) == ("question", "shop#1", "asks: Which colour?")
    assert "  shop#1 parked: asks: Which colour?\n    workspace kept:" in shop.weft("status").out
    said = shop.weft("answer", "1", "blue")
    assert said.out == "shop#1: your answer is kept; `weft run 1` goes on with it\n"
    assert json.loads(shop.weft("status", "--json").out)["inbox"] == []
    assert shop.run("1").statuses == {"1": "passed"}
    assert "A person answers: blue" in shop.prompt("1", "exec")
    shop.run("1", "--force")
    assert "A person answers" not in shop.prompt("1", "exec")


def test_work_that_is_begun_is_kept_over_a_question(shop: Shop) -> None:
    """The next session finds what the one that asked had done, and what earlier phases said."""
    asking(shop, 'phases = ["spec", "exec"]')
    shop.issues("1", "3")
    shop.does("exec-1-1", f"echo half > half.txt\n{ASK}")
    shop.does("exec-1-2", 'cat half.txt > "$STAGE/seen"; echo whole > half.txt\n')
    shop.does("spec-1", 'echo \'{"type":"message","text":"the plan"}\'\n')
    shop.does("spec-3", "hold three\n")
    run = shop.start("run", "1", "3", "--json")
    run.until(lambda: shop.runs() and parked(shop))
    run.until(shop.reached("three"))
    shop.weft("answer", "#1", "blue")
    run.until(lambda: (shop.stage / "seen").exists())
    shop.go("three")
    answer = run.wait()
    assert answer.job("1")["status"] == "passed"
    assert (shop.stage / "seen").read_text() == "half\n"
    assert shop.sessions("spec").count("1") == 1
    assert "the plan" in shop.prompt("1", "exec", 2)


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ("echo thinking\necho 'QUESTION: Which colour?'\n", "parked"),
        (f"{WORK}echo 'QUESTION: Which colour?'\n", "passed"),
        ("echo 'QUESTION: Which colour?'\necho done\n", "no_change"),
    ],
)
def test_a_last_line_that_asks(shop: Shop, script: str, status: str) -> None:
    """Of any agent: `QUESTION: …` as the last line of a session that changed nothing; else it is an answer like any."""
    shop.issues("1")
    shop.does("exec", script)
    answer = shop.run("1")
    assert answer.job("1")["status"] == status
    kinds = [
        event.outcome.failure and event.outcome.failure.kind
        for event in shop.events()
        if isinstance(event, SessionEnded)
    ]
    assert (kinds == [FailureClass.QUESTION]) == (status == "parked")


def test_what_cannot_be_answered(shop: Shop) -> None:
    """Exit 2 with what can be done: passed jobs, jobs behind others, unknown ones, empty answers."""
    shop.issue("2", front="depends_on: [1]")
    shop.issues("1", "3")
    shop.does("exec-1", "exit 1\n")
    shop.run("1", "2", "3")
    for words, said in (
        (("3", "blue"), "shop#3 asks nothing: passed"),
        (("2", "blue"), "shop#2 asks nothing: unmet dependency shop#1"),
        (("9", "blue"), "Unknown job `9`"),
        (("1", "  "), "TEXT is empty"),
    ):
        answer = shop.weft("answer", *words)
        assert (answer.code, answer.out) == (2, "")
        assert said in answer.err
        assert "hint: " in answer.err
