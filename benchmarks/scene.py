"""What several benchmarks need: a state folder of their own, a small repo, an agent that sleeps, plans of tasks."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weft.model.ids import JobKey
from weft.model.job import Job
from weft.model.phase import Phase, Pipeline, StepKind
from weft.model.plan import AgentKind, AgentSpec, Lane, Mode, Order, OutputFormat, Plan, PromptVia, Repo
from weft.settings.environment import Environment

MEMORY = Path("/dev/shm")


@contextmanager
def own_folder(*, in_memory: bool = False) -> Iterator[Path]:
    """`in_memory`: where the machine has such a place, so that the disk's moods are not what is measured."""
    place = MEMORY if in_memory and os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="weft-bench-", dir=place, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def where(folder: Path) -> str:
    return "in memory" if folder.is_relative_to(MEMORY) else "on disk"


def environment(folder: Path) -> Environment:
    """Nothing of the user's own is read or written."""
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "WEFT_HOME": str(folder / "state"), "LANG": "C.UTF-8"}
    return Environment(variables, folder)


def task_plan(argv: tuple[str, ...], count: int, cap: int, folder: Path, *, jsonl: bool = False) -> Plan:
    """So many tasks of one program, working in place, as a task file would have them."""
    agent = AgentSpec(
        name="program",
        kind=AgentKind.COMMAND,
        argv=argv,
        prompt=PromptVia.FILE,
        output=OutputFormat.JSONL if jsonl else OutputFormat.TEXT,
    )
    pipeline = Pipeline("task", (Phase("task", (StepKind.SESSION,), agent="program", prompt="do it", verbatim=True),))
    jobs = tuple(
        Job(key=JobKey("bench", str(number)), title="a task", lane="bench", pipeline="task") for number in range(count)
    )
    return Plan(
        mode=Mode.TASKS,
        jobs=jobs,
        cap=cap,
        repos=(Repo("bench", str(folder)),),
        lanes=(Lane("bench", count),),
        pipelines=(pipeline,),
        agents=(agent,),
        order=Order.LISTED,
    )


def git(folder: Path, *args: str) -> str:
    identity = ["-c", "user.name=Bench", "-c", "user.email=bench@localhost"]
    done = subprocess.run(["git", *identity, *args], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def make_repo(folder: Path, files: dict[str, str]) -> Path:
    repo = folder / "repo"
    repo.mkdir()
    git(repo, "init", "--quiet", "--initial-branch=main")
    for name, text in files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message=first")
    return repo
