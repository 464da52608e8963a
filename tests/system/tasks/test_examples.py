"""The four kinds of task file that people write, with the embedded agent in the place of each CLI."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.git_repo import GitRepo
from tests.support.task_folder import TaskFolder, check_counts, outputs

NAMES = ("claude", "codex", "gemini")
PLAYED = """
[[session]]
steps = [
  { save_prompt = "asked-@{id}.txt" },
  { run = "grep -rn 'password' --include='*.py' . > found-@{id}.txt", check = false },
  { usage = { input_tokens = 100, output_tokens = 20, cost_usd = 0.01 } },
  { result = "answer of @{id}" },
]
"""


@pytest.fixture
def project(folder: TaskFolder) -> TaskFolder:
    """The names of the real CLIs, played by the embedded agent."""
    folder.script(PLAYED)
    folder.settings("".join(f'[agents.{name}]\nkind = "scripted"\nscript = "scripted.toml"\n' for name in NAMES))
    (folder.place / "app.py").write_text("password = 'x'\n")
    return folder


def run(folder: TaskFolder, document: dict[str, Any]) -> dict[str, Any]:
    folder.file(document)
    answer = folder.parallel()
    assert answer.code == 0, answer.err
    check_counts(answer.document)
    return answer.document


def test_security_audit(project: TaskFolder) -> None:
    """Three agents audit one folder at once, reading only; cost and tokens are summed up by task."""
    prompts = ["Review for injection attacks", "Analyze for the OWASP Top 10", "Check for hardcoded secrets"]
    safe = {"approval_mode": "auto", "sandbox_mode": "read-only"}
    tasks = [{"backend": name, "prompt": prompt, **safe} for name, prompt in zip(NAMES, prompts, strict=True)]
    document = run(project, {"tasks": tasks, "max_parallel": 3})
    assert [result["backend"] for result in document["results"]] == list(NAMES)
    assert [result["output"] for result in document["results"]] == [f"answer of {n}" for n in (1, 2, 3)]
    assert document["results"][0]["usage"]["cost_usd"] == 0.01
    assert (project.place / "asked-2.txt").read_text() == prompts[1]


def test_review_from_several_sides(project: TaskFolder) -> None:
    """The same change looked at by several agents; a failed one keeps nobody else from answering."""
    tasks = [{"backend": name, "prompt": f"Review this PR, {name}", "id": name} for name in NAMES]
    document = run(project, {"tasks": tasks})
    assert [result["id"] for result in document["results"]] == list(NAMES)
    assert [result["output"] for result in document["results"]] == [f"answer of {name}" for name in NAMES]


def test_batch_of_tests(project: TaskFolder) -> None:
    """One agent, many files, one branch each: the checkout is not touched."""
    repo = GitRepo(project.place / "shop", project.root / "home")
    repo.commit("start")
    modules = ("auth", "user", "api")
    tasks = [
        {"backend": "codex", "prompt": f"generate unit tests for {module}.go", "id": module, "workdir": "shop",
         "isolation": "worktree"}
        for module in modules
    ]  # fmt: skip
    document = run(project, {"tasks": tasks, "max_parallel": 3})
    branches = [result["branch"] for result in document["results"]]
    assert len(set(branches)) == 3
    for module, result in zip(modules, document["results"], strict=True):
        assert repo.git("show", f"{result['branch']}:asked-{module}.txt") == f"generate unit tests for {module}.go"
        assert f"asked-{module}.txt" in result["diff_stat"]
    assert repo.git("status", "--porcelain") == ""


def test_many_projects(project: TaskFolder) -> None:
    """The same prompt in several folders, each agent in its own."""
    names = ("frontend", "backend", "worker")
    for name in names:
        (project.place / "projects" / name).mkdir(parents=True)
    prompt = "update dependencies and check for breaking changes"
    tasks = [{"backend": "claude", "prompt": prompt, "workdir": str(project.place / "projects" / n)} for n in names]
    document = run(project, {"tasks": tasks})
    assert document["completed"] == 3
    for number, name in enumerate(names, 1):
        assert (project.place / "projects" / name / f"asked-{number}.txt").read_text() == prompt


def test_a_chain_makes_a_task_file(project: TaskFolder) -> None:
    """A chain's last output is a task file, which `parallel` then runs."""
    made = json.dumps({"tasks": [{"backend": "sh", "prompt": "echo made"}]}).replace('"', '\\"')
    steps = [
        {"backend": "claude", "prompt": "Analyze"},
        {"backend": "sh", "prompt": f'# {{{{previous}}}}\necho "{made}"'},
    ]
    project.file({"steps": steps}, "analyze.json")
    chained = project.weft("chain", "--file", "analyze.json", "--json")
    assert outputs(project.weft("parallel", "--json", stdin=outputs(chained)[-1])) == ["made"]
