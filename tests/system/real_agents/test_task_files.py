"""Task files with the real agents: audit, review, batch, many projects; failures; nothing left running (AGENT-10)."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.git_repo import GitRepo
from tests.support.model_answers import Fail, Hang, Reply, Say, Shell, Turn, Write
from tests.support.model_server import ModelServer
from tests.support.task_folder import TaskFolder, check_counts, outputs, statuses
from tests.system.real_agents.seat import MODELS, Seat
from tests.system.real_agents.test_stops import DAEMONS, STARTED

from weft.model.plan import AgentKind

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]

KINDS = [AgentKind.CLAUDE, AgentKind.CODEX, AgentKind.GEMINI]


def model(turn: Turn) -> Reply:
    """Does what the prompt asks for."""
    if "REFUSE" in turn.prompt:
        return Fail(400, "this is what went wrong")
    if "HANG" in turn.prompt:
        return Shell(DAEMONS) if turn.results == 0 else Hang()
    if "WRITE" in turn.prompt:
        return (Write("made.txt", "made\n"), Say("Wrote it"))[min(turn.results, 1)]
    return Say(f"Read {len(turn.prompt) // 1_000_000} MB")


class Office:
    """All agents in one folder, pointed at one made-up model."""

    def __init__(self, folder: TaskFolder, bin_folder: Path, server: ModelServer) -> None:
        self.folder = folder
        self.variables: dict[str, str] = {}
        address = server.serve(model)
        tables = ['grace = "1s"']
        for kind, name in MODELS.items():
            ground = folder.root / kind.value
            ground.mkdir(mode=0o700)
            self.variables |= Seat(kind, bin_folder, ground, server).environment(address)
            tables.append(f"[agents.{kind.value}]\n" + (f'model = "{name}"' if name else ""))
        self.variables["HOME"] = str(folder.root / "home")
        (folder.place / "weft.toml").write_text("\n".join(tables))

    def parallel(self, tasks: list[dict[str, Any]], *args: str, **whole: Any) -> Any:
        self.folder.file({"tasks": tasks, "timeout": "5m", **whole})
        return self.folder.weft("parallel", "--file", "tasks.json", "--json", *args, variables=self.variables)


@pytest.fixture
def office(ground: Path, bin_folder: Path, server: ModelServer) -> Office:
    (ground / "office").mkdir(mode=0o700)
    return Office(TaskFolder(ground / "office"), bin_folder, server)


def test_an_audit_by_three(office: Office) -> None:
    """The seed's first kind: three agents at once, reading only; a prompt of 1 MB that begins with `-` (TASK-14)."""
    long = "-p " + "look closely. " * 72_000
    tasks = [{"backend": kind.value, "prompt": long, "sandbox_mode": "read-only"} for kind in KINDS]
    answer = office.parallel(tasks, max_parallel=3)
    assert answer.code == 0, answer.err
    assert outputs(answer) == ["Read 1 MB"] * 3
    assert all(result["usage"]["input_tokens"] > 0 and result["session_id"] for result in answer.document["results"])
    assert office.folder.alive() == []


@pytest.mark.parametrize("kind", list(MODELS))
def test_a_batch_on_branches(office: Office, kind: AgentKind) -> None:
    """The seed's third kind: each task writes on a branch of its own; the checkout stays as it is (TASK-10)."""
    repo = GitRepo(office.folder.place / "shop", office.folder.root / "home")
    repo.commit("start")
    own = {"backend": kind.value, "workdir": "shop", "isolation": "worktree"}
    answer = office.parallel([{**own, "prompt": "WRITE tests", "id": name} for name in ("auth", "user")])
    assert answer.code == 0, f"{answer.err}\n{answer.out}"
    for result in answer.document["results"]:
        assert repo.git("show", f"{result['branch']}:made.txt") == "made"
        assert "made.txt" in result["diff_stat"]
    assert repo.git("status", "--porcelain") == ""


def test_many_projects_and_a_failure(office: Office) -> None:
    """The seed's last kind, with one that fails: its own words are the error, the others go on (AGENT-4, TASK-5)."""
    tasks = []
    for kind in KINDS:
        (office.folder.place / kind.value).mkdir()
        prompt = "REFUSE" if kind is AgentKind.GEMINI else "Say what breaks"
        tasks.append({"backend": kind.value, "prompt": prompt, "workdir": kind.value})
    answer = office.parallel(tasks)
    assert (answer.code, statuses(answer)) == (1, ["completed", "completed", "failed"])
    assert "this is what went wrong" in answer.document["results"][2]["error"]
    check_counts(answer.document)


def test_a_review_that_is_handed_on(office: Office) -> None:
    """The seed's second kind and its chain: one agent's answer is in the next one's prompt (TASK-12)."""
    steps = [{"name": kind.value, "backend": kind.value, "prompt": "Review this"} for kind in KINDS[:2]]
    steps[1]["prompt"] = "WRITE what was said: {{previous}}"
    steps[1]["approval_mode"] = "auto"
    office.folder.file({"steps": steps}, "chain.json")
    answer = office.folder.weft("chain", "--file", "chain.json", "--json", variables=office.variables)
    assert (answer.code, outputs(answer)) == (0, ["Read 0 MB", "Wrote it"]), answer.err
    assert (office.folder.place / "made.txt").read_text() == "made\n"


@pytest.mark.parametrize("kind", list(MODELS))
@pytest.mark.parametrize("how", ["fail fast", "timeout", "SIGINT", "SIGTERM"])
def test_nothing_survives(office: Office, kind: AgentKind, how: str) -> None:
    """In the middle of a tool with daemons: fail-fast, a timeout, either signal (TASK-5, TASK-15, AGENT-6)."""
    folder = office.folder
    hanging = {"backend": kind.value, "prompt": "HANG", "sandbox_mode": "full", "approval_mode": "auto"}
    if how == "timeout":
        hanging["timeout"] = "20s"
    tasks = [hanging]
    if how == "fail fast":
        (folder.place / "weft.toml").write_text(
            (folder.place / "weft.toml").read_text() + '\n[agents.sh]\nkind = "command"\nargv = ["/bin/sh"]\n'
        )
        waiting = " && ".join(f"[ -e {name} ]" for name in STARTED)
        tasks.append({"backend": "sh", "prompt": f"until {waiting}; do sleep 0.1; done; exit 1"})
    folder.file({"tasks": tasks, "fail_fast": how == "fail fast"})
    run = folder.start("parallel", "--file", "tasks.json", "--json", variables=office.variables)
    run.until(lambda: all((folder.place / name).exists() for name in STARTED))
    if how.startswith("SIG"):
        run.send(signal.Signals[how])
    answer = run.wait()
    expected = {
        "fail fast": (1, "cancelled"),
        "timeout": (1, "timed_out"),
        "SIGINT": (130, "cancelled"),
        "SIGTERM": (143, "cancelled"),
    }
    assert (answer.code, statuses(answer)[0]) == expected[how], answer.err
    check_counts(json.loads(answer.out))
    assert folder.alive() == []
