"""PERF-4: `weft run` of 12 issues × 3 phases whose agent sleeps 0.3 s, three at a time, in a small repo."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from benchmarks.row import Row
from benchmarks.scene import environment, make_repo, own_folder

ISSUES = 12
PHASES = 3
AT_ONCE = 3
SLEEP = 0.3
ROUNDS = 3
WEFT = Path(sys.executable).with_name("weft")

SETTINGS = """\
agent = "mine"
[gates]
test = ""
lint = ""
typecheck = ""
[agents.mine]
kind = "command"
argv = ["/bin/sh", "agent.sh", "{phase}"]
"""
AGENT = f'sleep {SLEEP}\n[ "$1" = exec ] && echo "$WEFT_JOB" > work.txt\nexit 0\n'


def agent_seconds(repo: Path) -> float:
    """One session of the agent by itself."""
    times = []
    for _ in range(10):
        started = time.perf_counter()
        subprocess.run(["/bin/sh", "agent.sh", "spec"], cwd=repo, check=True)
        times.append(time.perf_counter() - started)
    return min(times)


def run_seconds(repo: Path, folder: Path) -> float:
    issues = [str(number) for number in range(1, ISSUES + 1)]
    started = time.perf_counter()
    subprocess.run(
        [str(WEFT), "run", *issues, "--force", "--quiet", "--concurrency", str(AT_ONCE)],
        cwd=repo,
        env=dict(environment(folder).variables),
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - started


def measure() -> list[Row]:
    with own_folder() as folder:
        issues = {
            f"issues/{number}.md": f"---\ntitle: Issue {number}\n---\nDo it.\n" for number in range(1, ISSUES + 1)
        }
        repo = make_repo(folder, {"weft.toml": SETTINGS, "agent.sh": AGENT, **issues})
        ideal = ISSUES * PHASES * agent_seconds(repo) / AT_ONCE
        taken = min(run_seconds(repo, folder) for _ in range(ROUNDS))
    work = f"weft run: {ISSUES} issues × {PHASES} phases of {SLEEP} s, {AT_ONCE} at a time"
    return [Row(4, work, f"{taken:.2f} s; ideal {ideal:.2f} s", taken / ideal, required=1.25)]
