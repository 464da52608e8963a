"""The whole trip: three issues on GitHub, one depending on another, to three pull requests, by a real agent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.github_server import GithubServer
from tests.support.github_shop import SETTINGS as GITHUB
from tests.support.github_shop import GithubShop
from tests.support.model_answers import Answer, Reply, Say, Turn, Write
from tests.support.model_server import ModelServer
from tests.support.shop import Shop
from tests.system.real_agents.seat import MODELS, Seat
from tests.system.real_agents.test_weft_run import PLAN, SETTINGS

from weft.model.plan import AgentKind

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]


def engineer(turn: Turn) -> Reply:
    """Plans, writes, and approves what was written."""
    issue = re.findall(r"# Thing (\d)", turn.prompt)[-1]
    if "the engineer who plans" in turn.prompt:
        return Say(PLAN.format(issue=issue))
    if "You are the reviewer" in turn.prompt:
        return (Answer({"approved": True, "findings": []}), Say("fine"))[min(turn.results, 1)]
    return (Write(f"made-{issue}.txt", "done\n"), Say(f"Wrote it for {issue}"))[min(turn.results, 1)]


@pytest.fixture
def hub(ground: Path) -> Iterator[GithubShop]:
    (ground / "server").mkdir()
    with GithubServer(ground / "server") as github:
        yield GithubShop(Shop(ground), github)


@pytest.mark.parametrize("kind", [AgentKind.CLAUDE, AgentKind.CODEX])
def test_three_issues_end_in_three_pull_requests(
    kind: AgentKind, hub: GithubShop, bin_folder: Path, ground: Path, server: ModelServer
) -> None:
    """RUN-1, RUN-15: each with green gates; the dependent one is built on what it depends on; nothing is left."""
    shop, seat, model = hub.shop, Seat(kind, bin_folder, ground, server), MODELS[kind]
    settings = SETTINGS.format(agent=kind.value, model=f'model = "{model}"' if model else "")
    shop.repo.write("weft.toml", settings + GITHUB.format(api_url=hub.server.api_url, issues=""))
    shop.repo.commit("settings")
    shop.repo.git("push", "-q", str(hub.repo.folder), "main")
    hub.issues(1, 2)
    hub.repo.issue(3, "Thing 3", "Do 3.\n\nDepends on #1")
    variables = {name: value for name, value in seat.environment(server.serve(engineer)).items() if name != "HOME"}
    answer = shop.weft("run", "1", "2", "3", "--json", cwd=shop.repo.path, **variables)
    assert answer.code == 0, f"{answer.err}\n{answer.out}"
    assert answer.statuses == {"1": "passed", "2": "passed", "3": "passed"}
    pulls = hub.pulls()
    for issue in ("1", "2", "3"):
        job = answer.job(issue)
        pull = pulls[job["branch"]]
        assert (job["pull_request"], hub.repo.git.tip(pull.head)) == (pull.number, job["commit"])
        assert f"Closes #{issue}" in (pull.body or "").splitlines()
        assert "| ✔ passed |" in (pull.body or "")
    assert len(hub.pushed(answer.job("3")["branch"])) == 2, "its own commit, and the one it builds on"
    assert shop.debris() == []
    kept = [path for path, text in hub.texts_kept().items() if hub.server.token.encode() in text]
    assert not kept
