"""PERF-6: the merge queue with 8 ready branches whose gate sleeps 2 s, window 4, against one at a time."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

from benchmarks.row import Row
from benchmarks.scene import environment, git, make_repo, own_folder

BRANCHES = 8
GATE = 2
WEFT = Path(sys.executable).with_name("weft")

SETTINGS = """\
agent = "mine"
[run]
merge = "queue"
[merge]
target = "weft/bench"
window = {window}
repairs = 0
[gates]
test = "sh gate.sh"
lint = ""
typecheck = ""
[agents.mine]
kind = "command"
argv = ["/bin/sh", "agent.sh", "{{phase}}", "{{job}}"]
"""
AGENT = """\
[ "$1" = exec ] || exit 0
id=${{2##*#}}
echo "$id" > "work-$id.txt"
while [ ! -e "{turns}/$id" ]; do sleep 0.01; done
touch "{turns}/$((id + 1))"
"""
"""They end in the order of their numbers, one right after the other, so that the third in the queue is the third."""

PASSES = f"sleep {GATE}\n"
THIRD_FAILS = f"sleep {GATE}\n[ ! -e work-3.txt ]\n"


def queue_seconds(window: int, gate: str, landing: int) -> float:
    """From the first branch in the queue to the last landing."""
    with own_folder() as folder:
        turns = folder / "turns"
        turns.mkdir()
        (turns / "1").touch()
        issues = {f"issues/{n}.md": f"---\ntitle: Issue {n}\n---\nDo it.\n" for n in range(1, BRANCHES + 1)}
        settings = SETTINGS.format(window=window)
        agent = AGENT.format(turns=turns)
        repo = make_repo(folder, {"weft.toml": settings, "agent.sh": agent, "gate.sh": gate, **issues})
        events = _events(repo, folder)
        landed = [event for event in events if event["type"] == "landing_ended" and event["landed"]]
        assert len(landed) == landing, f"{len(landed)} branches landed, not {landing}"
        _check_green(repo, gate)
        return _at(landed[-1]) - min(_at(event) for event in events if event["type"] == "job_queued")


def _events(repo: Path, folder: Path) -> list[dict[str, object]]:
    issues = [str(number) for number in range(1, BRANCHES + 1)]
    done = subprocess.run(
        [str(WEFT), "run", *issues, "--json-stream", "--phases", "spec,exec", "--concurrency", str(BRANCHES)],
        cwd=repo,
        env=dict(environment(folder).variables),
        capture_output=True,
        check=False,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _at(event: dict[str, object]) -> float:
    return datetime.fromisoformat(str(event["at"])).timestamp()


def _check_green(repo: Path, gate: str) -> None:
    """After every landing, commit by commit."""
    for commit in git(repo, "rev-list", "--first-parent", "weft/bench").split():
        files = git(repo, "ls-tree", "--name-only", commit).split()
        assert gate != THIRD_FAILS or "work-3.txt" not in files, f"{commit} is red"


def measure() -> list[Row]:
    serial = queue_seconds(1, PASSES, BRANCHES)
    passing = queue_seconds(4, PASSES, BRANCHES)
    failing = queue_seconds(4, THIRD_FAILS, BRANCHES - 1)
    work = f"merge queue: {BRANCHES} branches, gate of {GATE} s, window 4"
    return [
        Row(6, f"{work}, all pass", f"{passing:.1f} s; one at a time {serial:.1f} s", passing / serial, required=0.4),
        Row(6, f"{work}, the third fails", f"{failing:.1f} s", failing / serial, required=0.65),
    ]
