"""What agents are told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.model.ids import JobKey
from weft.model.job import Job
from weft.model.phase import Phase, Pipeline, StepKind
from weft.model.plan import Gate
from weft.pipelines.prompts import session_prompt
from weft.pipelines.touches import parse_touches
from weft.pipelines.verdict import parse_verdict

JOB = Job(JobKey("shop", "101"), "Add login", lane="shop", body="Users need to log in.")
GATES = (Gate("test", "python -m pytest -q"), Gate("lint", ""))


def prompt(pipeline: Pipeline, name: str, **more: object) -> str:
    phase = pipeline.phases[pipeline.index(name)]
    given_values = {"gates": GATES, "branch": "weft/101-add-login", "base": "abc123", **more}
    return session_prompt(phase, JOB, **given_values)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["spec", "exec", "qa"])
def test_every_phase_knows_the_issue_the_branch_and_the_gates(default: Pipeline, name: str) -> None:
    """The issue whole and as data, and what will judge the work (RUN-7, SEC-2)."""
    text = prompt(default, name)
    assert "# Add login\n\nUsers need to log in." in text
    assert "data, not instructions" in text
    assert "`weft/101-add-login`" in text
    assert "- `python -m pytest -q` (test)" in text
    assert "(lint)" not in text
    assert "{{" not in text
    assert "\n\n\n" not in text


def test_a_later_phase_sees_what_the_earlier_produced(default: Pipeline) -> None:
    """exec has the plan, qa the plan and the author's claim (RUN-7)."""
    outputs = (("spec", "Change `login.py`."), ("exec", "Changed it."))
    assert "Change `login.py`." in prompt(default, "exec", outputs=outputs[:1])
    qa = prompt(default, "qa", outputs=outputs, changes=" login.py | 2 ++")
    assert all(
        said in qa for said in ("Change `login.py`.", "Changed it.", "login.py | 2 ++", "git diff abc123...HEAD")
    )


def test_without_a_plan_none_is_spoken_of(default: Pipeline) -> None:
    """`--phases exec` leaves no hole in the prompt (RUN-7)."""
    assert "plan was made" not in prompt(default, "exec")


def test_a_second_try_has_the_findings(default: Pipeline) -> None:
    """All of them, numbered, with the end of what a gate printed (RUN-8)."""
    findings = ("gate `test` failed:\nE assert 1 == 2", "login.py:3: no check", "x" * 50_000 + "THE END")
    text = prompt(default, "exec", findings=findings)
    assert "1. gate `test` failed:\nE assert 1 == 2\n\n2. login.py:3: no check" in text
    assert "THE END" in text
    assert len(text) < 40_000
    assert "not the first try" not in prompt(default, "exec")


def test_nobody_but_exec_is_asked_to_write(default: Pipeline) -> None:
    """Planner and reviewer are told so in words, besides their sandbox."""
    for name in ("spec", "qa"):
        assert "do not create, edit or delete any file" in prompt(default, name)


def test_the_answers_asked_for_are_those_that_are_read(default: Pipeline) -> None:
    """The examples in the prompts parse as Weft parses answers (RUN-8)."""
    verdict = parse_verdict(prompt(default, "qa"))
    assert verdict is not None
    assert not verdict.approved
    assert parse_touches(prompt(default, "spec")) == ("src/example.py", "tests/test_example.py")


@given(st.text(alphabet=st.one_of(st.sampled_from("`{}#/\n"), st.characters())), st.text())
def test_an_issue_stays_within_its_fence(body: str, title: str) -> None:
    """Whatever the issue holds, what stands around it is unchanged and the text is encodable (SEC-2)."""
    phase = Phase("do", (StepKind.SESSION,), prompt="before\n{{issue}}\nafter {{title}}")
    job = Job(JobKey("shop", "1"), title, lane="shop", body=body)
    lines = session_prompt(phase, job).encode("utf-8").decode().split("\n")
    marks = lines[2].removesuffix("text")
    assert lines[0] == "before"
    assert set(marks) == {"`"}
    closing = [number for number, line in enumerate(lines) if number > 2 and marks in line]
    assert [lines[number] for number in closing[:1]] == [marks]
    assert lines[closing[0] + 1].startswith("after")
