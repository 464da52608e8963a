"""What every agent adapter must do, with real processes: one row per agent (AGENT-1, AGENT-3, AGENT-4, RUN-8)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from enum import Enum
from pathlib import Path

import msgspec
import pytest

from weft.agents.registry import agent_problems, make_agent
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job
from weft.model.outcome import SessionOutcome
from weft.model.phase import FailureClass, Phase, StepKind
from weft.model.plan import AgentKind, AgentSpec, OutputFormat
from weft.ports import SessionRequest


class Does(Enum):
    """What the agent under test is to do."""

    WRITE = "write made.txt, say `made it`, succeed"
    FAIL = "say `no such thing`, fail"
    TRANSIENT = "say `overloaded`, fail for now"
    APPROVE = "approve"
    REFUSE = "refuse with the finding `a.py:1: wrong`"
    GARBAGE = "print invalid UTF-8, broken JSON and unknown events, then succeed as WRITE does"
    HUGE_LINE = "print a line of 20 MB, then succeed as WRITE does"
    NO_NEWLINE = "succeed as WRITE does, without a newline at the end"
    DIE = "die of SIGKILL"
    SHOW_TOKEN = "write the environment to made.txt"
    SAVE_PROMPT = "write the prompt to made.txt"


TEXT = {
    Does.WRITE: "echo hello > made.txt; echo made it",
    Does.FAIL: "echo no such thing; exit 3",
    Does.TRANSIENT: "echo overloaded; exit 75",
    Does.APPROVE: "exit 0",
    Does.REFUSE: "echo 'a.py:1: wrong'; exit 1",
    Does.GARBAGE: r"""printf '\377\376\n{"type":\n{"type":"what"}\n'; echo hello > made.txt; echo made it""",
    Does.HUGE_LINE: "head -c 20000000 /dev/zero | tr '\\0' x; echo; echo hello > made.txt; echo made it",
    Does.NO_NEWLINE: "echo hello > made.txt; printf 'made it'",
    Does.DIE: "kill -9 $$",
    Does.SHOW_TOKEN: "env > made.txt",
    Does.SAVE_PROMPT: "cat > made.txt",
}
JSONL = TEXT | {
    Does.WRITE: """echo hello > made.txt; echo '{"type":"result","ok":true,"text":"made it"}'""",
    Does.FAIL: """echo '{"type":"result","ok":false,"text":"no such thing"}'""",
    Does.APPROVE: """echo '{"type":"verdict","approved":true}'""",
    Does.REFUSE: """echo '{"type":"verdict","approved":false,"findings":["a.py:1: wrong"]}'""",
}
_WRITE = """{ write = "made.txt", text = "hello\\n" }, { result = "made it" }"""
SCRIPT = {
    Does.WRITE: _WRITE,
    Does.FAIL: '{ fail = "no such thing" }',
    Does.TRANSIENT: '{ fail = "overloaded", class = "transient" }',
    Does.APPROVE: "{ verdict = true }",
    Does.REFUSE: '{ verdict = false, findings = ["a.py:1: wrong"] }',
    Does.GARBAGE: """{ run = "printf '\\\\377\\\\376\\\\n'" }, { raw = '{"type":' }, { raw = '{"type":"what"}' }, """
    + _WRITE,
    Does.HUGE_LINE: "{ flood = 1, width = 20000000 }, " + _WRITE,
    Does.NO_NEWLINE: """{ run = "echo hello > made.txt" }, { run = "printf 'made it'" }""",
    Does.DIE: "{ kill = 9 }",
    Does.SHOW_TOKEN: '{ run = "env > made.txt" }',
    Does.SAVE_PROMPT: '{ save_prompt = "made.txt" }',
}


def text_agent(does: Does, folder: Path) -> AgentSpec:
    return AgentSpec("text", AgentKind.COMMAND, ("sh", "-c", TEXT[does]))


def jsonl_agent(does: Does, folder: Path) -> AgentSpec:
    return AgentSpec("jsonl", AgentKind.COMMAND, ("sh", "-c", JSONL[does]), output=OutputFormat.JSONL)


def scripted_agent(does: Does, folder: Path) -> AgentSpec:
    script = folder / "script.toml"
    script.write_text(f"[[session]]\nsteps = [ {SCRIPT[does]} ]\n")
    return AgentSpec("scripted", AgentKind.SCRIPTED, script=str(script))


AGENTS: list[Callable[[Does, Path], AgentSpec]] = [text_agent, jsonl_agent, scripted_agent]


class Session:
    """One agent's session in a folder of its own."""

    def __init__(self, make_spec: Callable[[Does, Path], AgentSpec], folder: Path) -> None:
        self.make_spec = make_spec
        self.folder = folder
        self.made = folder / "work" / "made.txt"

    def run(self, does: Does, *, verdict: bool = False) -> SessionOutcome:
        request = self._request(does, verdict)
        assert agent_problems(request.agent) == []
        agent = make_agent(request.agent.kind)
        invocation = agent.invocation(request)
        transcript = self.folder / "transcript"
        with transcript.open("wb") as output, (invocation.stdin or Path(os.devnull)).open("rb") as stdin:
            done = subprocess.run(
                invocation.argv,
                stdin=stdin,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=dict(invocation.environment),
                cwd=request.workdir,
            )
        printed = transcript.read_bytes()
        reader = agent.reader(request)
        for line in printed.splitlines():
            reader.feed(line)
        return reader.outcome(done.returncode, printed[-65536:].decode("utf-8", "replace"))

    def _request(self, does: Does, verdict: bool) -> SessionRequest:
        key = JobKey("shop", "101")
        work, prompt, issue = (self.folder / name for name in ("work", "prompt.md", "issue.md"))
        work.mkdir()
        prompt.write_text("Do it, please")
        issue.write_text("Add login")
        return SessionRequest(
            attempt=AttemptId(RunId("r-1"), key, "exec", 1),
            job=Job(key, "Add login", lane="shop"),
            phase=Phase("exec", (StepKind.SESSION,), verdict=verdict),
            agent=msgspec.structs.replace(self.make_spec(does, self.folder), env=("MY_KEY",)),
            prompt="Do it, please",
            workdir=work,
            prompt_file=prompt,
            issue_file=issue,
            environment={"PATH": os.environ["PATH"], "MY_KEY": "mine", "GITHUB_TOKEN": "ghp_secret", "OTHER": "other"},
        )


@pytest.fixture(params=AGENTS, ids=lambda make: make.__name__)
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Session:
    return Session(request.param, tmp_path)


@pytest.mark.parametrize("does", [Does.WRITE, Does.GARBAGE, Does.HUGE_LINE, Does.NO_NEWLINE])
def test_success_whatever_else_is_in_the_transcript(session: Session, does: Does) -> None:
    """The work is on disk, the text is what it said; garbage and huge lines do not matter (AGENT-3, AGENT-4)."""
    outcome = session.run(does)
    assert outcome.failure is None
    assert "made it" in outcome.text
    assert len(outcome.text) <= 65536
    assert outcome.exit_status == 0
    assert outcome.usage.sessions == 1
    assert session.made.read_text() == "hello\n"


@pytest.mark.parametrize(
    ("does", "kind", "message"),
    [
        (Does.FAIL, FailureClass.WORK, "no such thing"),
        (Does.TRANSIENT, FailureClass.TRANSIENT, "overloaded"),
        (Does.DIE, FailureClass.KILLED, "was killed by SIGKILL"),
    ],
)
def test_failures_have_a_class_and_the_agents_own_words(
    session: Session, does: Does, kind: FailureClass, message: str
) -> None:
    """Whether trying again makes sense is decided by the class (AGENT-4)."""
    outcome = session.run(does)
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.message) == (kind, message)
    assert outcome.verdict is None


def test_a_review_approves(session: Session) -> None:
    """By the agent's own way to say so (RUN-8)."""
    outcome = session.run(Does.APPROVE, verdict=True)
    assert outcome.failure is None
    assert outcome.verdict is not None
    assert outcome.verdict.approved


def test_a_review_refuses_with_its_findings(session: Session) -> None:
    """A refusal is a session that succeeded (RUN-8)."""
    outcome = session.run(Does.REFUSE, verdict=True)
    assert outcome.failure is None
    assert outcome.verdict is not None
    assert (outcome.verdict.approved, outcome.verdict.findings) == (False, ("a.py:1: wrong",))


@pytest.mark.parametrize("does", [Does.TRANSIENT, Does.DIE])
def test_a_review_that_did_not_happen_has_no_verdict(session: Session, does: Does) -> None:
    """It failed, and neither approves nor refuses (RUN-8)."""
    outcome = session.run(does, verdict=True)
    assert outcome.failure is not None
    assert outcome.verdict is None


def test_the_environment_is_clean(session: Session) -> None:
    """What is allowed, what settings name, Weft's own variables; no token of Weft's (AGENT-7)."""
    session.run(Does.SHOW_TOKEN)
    shown = dict(line.split("=", 1) for line in session.made.read_text().splitlines())
    assert shown["MY_KEY"] == "mine"
    assert shown["WEFT_JOB"] == "shop#101"
    assert Path(shown["WEFT_ISSUE_FILE"]).read_text() == "Add login"
    assert "GITHUB_TOKEN" not in shown
    assert "OTHER" not in shown


def test_the_prompt_arrives_whole(session: Session) -> None:
    """Through a file on stdin that ends (AGENT-1)."""
    session.run(Does.SAVE_PROMPT)
    assert session.made.read_text() == "Do it, please"
