"""`weft daemon logs`."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path

from weft.cli.printing import note, print_json, print_text
from weft.daemon.log import log_path
from weft.errors import ExitCode, UsageError
from weft.settings.environment import Environment

LOOK_EVERY = 0.2


def show_logs(environment: Environment, lines: int, *, follow: bool, as_json: bool) -> ExitCode:
    if follow and as_json:
        raise UsageError("--follow and --json exclude each other")
    path = log_path(environment)
    if not path.exists() and not follow:
        print_json({"log": str(path), "lines": []}) if as_json else note("No daemon has written a log yet")
        return ExitCode.OK
    end, shown = _end(path, lines)
    if as_json:
        print_json({"log": str(path), "lines": [line.removesuffix("\n") for line in shown]})
    else:
        print_text("".join(shown))
    while follow:
        time.sleep(LOOK_EVERY)
        end = _news(path, end)
    return ExitCode.OK


def _end(path: Path, lines: int) -> tuple[int, list[str]]:
    """Where the log ends, and its last lines."""
    if not path.exists():
        return 0, []
    with path.open(encoding="utf-8", errors="replace") as file:
        return path.stat().st_size, list(deque(file, lines))


def _news(path: Path, end: int) -> int:
    """What came since; a log that began anew is shown from its beginning."""
    size = path.stat().st_size if path.exists() else 0
    if size == end:
        return end
    with path.open("rb") as file:
        file.seek(end if size > end else 0)
        print_text(file.read().decode("utf-8", "replace"))
    return size
