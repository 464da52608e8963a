"""Makes the demo's repo: real files, a real first commit, settings that name the scripted agent."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from weft.workspaces.git import Git

ISSUES = ("101", "102", "103", "104", "105", "106")

SETTINGS = """\
agent = "scripted"

[run]
merge = "queue"

[merge]
target = "weft/demo"

[gates]
test = {test}

[agents.scripted]
script = "../script.toml"
"""

IDENTITY = ("-c", "user.name=Weft demo", "-c", "user.email=demo@localhost")


async def make_demo(folder: Path, environment: Mapping[str, str]) -> Path:
    """Fill the folder; answer the repo's path in it."""
    repo = folder / "till"
    with resources.as_file(resources.files("weft.assembly.demo") / "files") as files:
        shutil.copytree(files, repo, ignore=shutil.ignore_patterns("__pycache__"))
    (repo / "script.toml").rename(folder / "script.toml")
    (repo / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    (repo / "weft.toml").write_text(SETTINGS.format(test=_toml_text(test_command())), encoding="utf-8")
    git = Git(environment)
    await git.run("init", "--quiet", "--initial-branch=main", cwd=repo)
    await git.run("add", "--all", cwd=repo)
    await git.run(*IDENTITY, "commit", "--quiet", "--message=A till, six issues to go", cwd=repo)
    return repo


def test_command() -> str:
    """With the interpreter that runs Weft: it is there for sure."""
    return f"{shlex.quote(sys.executable)} -m unittest discover -q -t . -s tests"


def _toml_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
