"""A real run of the demo: its picture, and what its journal says of one issue."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from scripts.docgen.picture import on_terminal, svg

SHOWN = "/tmp/weft-demo"
"""What stands for the folder it ran in."""
ISSUE = "102"
"""The one that qa sends back once."""
WEFT = [sys.executable, "-m", "weft"]


def record(picture: Path) -> dict[str, Callable[[], str]]:
    """Run it, write the picture, and answer the blocks for pages."""
    with tempfile.TemporaryDirectory(prefix="weft-docs-") as place:
        folder = Path(place) / "demo"
        screen = on_terminal([*WEFT, "demo", "--folder", str(folder)], Path(place), _environment() | {"TERM": "xterm"})
        picture.write_text(svg(_on_screen(screen, place), "weft demo"), encoding="utf-8")
        blocks = _blocks(folder / "till", folder / "state")
    return {name: partial(_fenced, text.replace(str(folder), SHOWN)) for name, text in blocks.items()}


def _blocks(repo: Path, home: Path) -> dict[str, str]:
    environment = _environment() | {"WEFT_HOME": str(home)}
    report = json.loads(_run([*WEFT, "report", "--json"], repo, environment))
    return {
        "log of an issue": _run([*WEFT, "logs", ISSUE], repo, environment),
        "files of an issue": _files(home / "runs" / report["run"]),
        "branches of the demo": _run(["git", "log", "--oneline", "--graph", "--all"], repo, environment),
        "outcome of an issue": _outcome(report["jobs"]),
    }


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("WEFT_", "NO_COLOR"))}


def _run(argv: list[str], cwd: Path, environment: dict[str, str]) -> str:
    return subprocess.run(argv, cwd=cwd, env=environment, capture_output=True, text=True, check=True).stdout


def _on_screen(text: str, place: str) -> str:
    """Up to the summary's end: what to do next is said on the page."""
    shown, _, _ = text.replace(f"{place}/demo", SHOWN).partition("What to look at next")
    return f"\x1b[1m$ weft demo\x1b[0m\n{shown.rstrip()}"


def _files(run: Path) -> str:
    job = next(folder for folder in run.iterdir() if folder.name.endswith(f".{ISSUE}"))
    return "\n".join(f"runs/{run.name}/{job.name}/{path.name}" for path in sorted(job.iterdir()))


def _outcome(jobs: list[dict[str, Any]]) -> str:
    return json.dumps(next(job for job in jobs if job["issue"] == ISSUE), indent=2, ensure_ascii=False)


def _fenced(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"
