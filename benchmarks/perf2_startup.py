"""PERF-2: how long `weft --version` and `weft locks check 1` take to start, against an empty Python."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from benchmarks.row import Row
from benchmarks.scene import environment, make_repo, own_folder

TIMES = 25
WEFT = Path(sys.executable).with_name("weft")


def seconds(argv: list[str], folder: Path, variables: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(argv, cwd=folder, env=variables, stdout=subprocess.DEVNULL, check=False)
    return time.perf_counter() - started


def measure() -> list[Row]:
    """In turns; the best of each counts."""
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "weft --version": [str(WEFT), "--version"],
        "weft locks check 1": [str(WEFT), "locks", "check", "1"],
    }
    best = dict.fromkeys(commands, float("inf"))
    with own_folder() as folder:
        repo = make_repo(folder, {"README.md": "x\n"})
        variables = dict(environment(folder).variables)
        for _ in range(TIMES):
            for name, argv in commands.items():
                best[name] = min(best[name], seconds(argv, repo, variables))
    empty = best["python -c pass"]
    limits = {"weft --version": 4.0, "weft locks check 1": 6.0}
    return [
        Row(
            2,
            name,
            f"{best[name] * 1000:.0f} ms; python -c pass {empty * 1000:.0f} ms",
            best[name] / empty,
            required=most,
        )
        for name, most in limits.items()
    ]
