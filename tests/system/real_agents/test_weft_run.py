"""`weft run` of three issues by a real agent, from the command line to branches with commits (AGENT-10, RUN-1)."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pytest
from tests.support.model_answers import Answer, Hang, Model, Reply, Say, Shell, Turn, Write
from tests.support.model_server import ModelServer
from tests.support.shop import Shop
from tests.system.real_agents.seat import MODELS, Seat
from tests.system.real_agents.test_stops import DAEMONS, STARTED

from weft.model.plan import AgentKind

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]

SETTINGS = """\
agent = "{agent}"

[run]
concurrency = 3

[gates]
test = "grep -q done made-*.txt"
lint = ""
typecheck = ""

[agents.{agent}]
{model}
"""
SENT_BACK = "Your work was checked and found wanting"
PLAN = "Write the file.\n\n```touches\nmade-{issue}.txt\n```"


def engineer() -> Model:
    """What the model does in each phase: plan, then write badly at first for issue 2, then review."""
    mended: set[str] = set()
    """Issues that were written again: how many tools answered before is told differently by each agent."""

    def reply(turn: Turn) -> Reply:
        issue = _issue(turn.prompt)
        if "the engineer who plans" in turn.prompt:
            return Say(PLAN.format(issue=issue))
        if "You are the reviewer" in turn.prompt:
            return (Shell("git diff HEAD~1 HEAD"), Answer({"approved": True, "findings": []}), Say("fine"))[
                min(turn.results, 2)
            ]
        if SENT_BACK in turn.prompt and issue not in mended:
            mended.add(issue)
            return Write(f"made-{issue}.txt", "done\n")
        text = "not yet\n" if issue == "2" else "done\n"
        return (Write(f"made-{issue}.txt", text), Say(f"Wrote it for {issue}"))[min(turn.results, 1)]

    return reply


def restless(turn: Turn) -> Reply:
    """Starts daemons, and then says nothing more."""
    return Shell(DAEMONS) if turn.results == 0 else Hang()


def _issue(prompt: str) -> str:
    found = re.findall(r"# Thing (\d)", prompt)
    assert found, prompt[:2000]
    return str(found[-1])


@pytest.fixture
def shop(ground: Path) -> Shop:
    shop = Shop(ground)
    shop.issues("1", "2", "3")
    return shop


@pytest.mark.parametrize("kind", [AgentKind.CLAUDE, AgentKind.CODEX, AgentKind.GEMINI])
def test_three_issues_end_in_branches_with_commits(
    kind: AgentKind, shop: Shop, bin_folder: Path, ground: Path, server: ModelServer
) -> None:
    """Spec, exec, gates and review of each; one is sent back once by the gate, to the session that did it; nothing is
    left running.
    """
    seat = Seat(kind, bin_folder, ground, server)
    model = MODELS[kind]
    shop.repo.write("weft.toml", SETTINGS.format(agent=kind.value, model=f'model = "{model}"' if model else ""))
    shop.repo.commit("settings")
    address = server.serve(engineer())
    variables = {name: value for name, value in seat.environment(address).items() if name != "HOME"}
    answer = shop.weft("run", "1", "2", "3", "--json", cwd=shop.repo.path, **variables)
    assert answer.code == 0, f"{answer.err}\n{answer.out}"
    assert answer.statuses == {"1": "passed", "2": "passed", "3": "passed"}
    for issue in ("1", "2", "3"):
        job = answer.job(issue)
        assert shop.repo.git("show", f"{job['commit']}:made-{issue}.txt") == "done"
        assert shop.repo.git("rev-parse", job["branch"]) == job["commit"]
        assert job["usage"]["input_tokens"] > 0
        assert job["usage"]["sessions"] == (3 if issue != "2" else 4)
    assert SENT_BACK in json.dumps([turn.prompt for turn in server.turns(address)])
    assert shop.worktrees() == []
    assert shop.debris() == []


@pytest.mark.parametrize("kind", list(MODELS))
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_to_weft_ends_the_agent_and_all_it_started(
    kind: AgentKind, number: signal.Signals, code: int, shop: Shop, bin_folder: Path, ground: Path, server: ModelServer
) -> None:
    """In the middle of a tool with daemons, each in a session of its own (AGENT-6)."""
    seat = Seat(kind, bin_folder, ground, server)
    model = MODELS[kind]
    settings = SETTINGS.format(agent=kind.value, model=f'model = "{model}"' if model else "")
    shop.repo.write("weft.toml", settings + '[phases.exec]\nsandbox_mode = "full"\n')
    shop.repo.commit("settings")
    variables = {name: value for name, value in seat.environment(server.serve(restless)).items() if name != "HOME"}
    weft = shop.start("run", "1", "--phases", "exec", cwd=shop.repo.path, **variables)
    weft.until(lambda: all(list(shop.state.glob(f"worktrees/*/*/{name}")) for name in STARTED))
    weft.send(number)
    assert weft.wait().code == code
    assert shop.alive() == []
    assert shop.debris() == []
