"""The lines of `weft parallel`, `chain` and `compare` (TASK-6). Scripts match them: the texts are fixed."""

from __future__ import annotations

from collections.abc import Sequence

from weft.board.task_results import Counts, TaskResult, TaskStatus
from weft.terminal.glyphs import Glyphs
from weft.terminal.plain import cut, pad, plain, width

_RULE = 60
_LEAST = (4, 12, 8, 10, 0)
"""The columns' least widths."""
_LONGEST_TASK = 60
_LONGEST_OUTPUT = 100

_WORDS = {TaskStatus.COMPLETED: "OK", TaskStatus.TIMED_OUT: "timed out", TaskStatus.NOT_RUN: "not run"}


def running_line(count: int, cap: int) -> str:
    return f"Running {count} tasks (max {cap} parallel)..."


def steps_line(count: int) -> str:
    return f"Running {count} steps one after the other..."


def output_line(result: TaskResult, said: str, glyphs: Glyphs) -> str:
    """`[1] first line of its output…`; of one that did not succeed, how it ended and why."""
    number = f"[{result.facts.index + 1}]"
    if result.status is not TaskStatus.COMPLETED:
        why = (result.error or "").strip().split("\n", 1)[0]
        return cut(plain(f"{number} {status_word(result)}: {why}"), _LONGEST_OUTPUT, glyphs.ellipsis)
    first, _, rest = said.strip().partition("\n")
    line = plain(f"{number} {first.strip()}")
    if width(line) > _LONGEST_OUTPUT:
        return cut(line, _LONGEST_OUTPUT, glyphs.ellipsis)
    return f"{line}{glyphs.ellipsis}" if rest.strip() else line.rstrip()


def table(results: Sequence[TaskResult], glyphs: Glyphs) -> list[str]:
    """A row per task, in the file's order."""
    header = ["#", "BACKEND", "STATUS", "DURATION", "TASK"]
    rows = [header, *(_row(result, glyphs) for result in results)]
    widths = [max(least, *(width(row[place]) for row in rows)) for place, least in enumerate(_LEAST)]
    lines = [" ".join(pad(cell, size) for cell, size in zip(row, widths, strict=True)).rstrip() for row in rows]
    return ["Results", "=" * _RULE, lines[0], "-" * _RULE, *lines[1:], "-" * _RULE]


def total_line(counts: Counts, seconds: float) -> str:
    """`Total: 3 tasks, 3 completed, 0 failed (3.20s)`."""
    cancelled = f", {counts.cancelled} cancelled" if counts.cancelled else ""
    ended = f"{counts.completed} completed, {counts.failed} failed{cancelled}"
    return f"Total: {counts.total} tasks, {ended} ({seconds:.2f}s)"


def status_word(result: TaskResult) -> str:
    return _WORDS.get(result.status, result.status.value)


def _row(result: TaskResult, glyphs: Glyphs) -> list[str]:
    took = f"{result.duration:.2f}s" if result.began else "-"
    title = cut(plain(result.title), _LONGEST_TASK, glyphs.ellipsis)
    return [str(result.facts.index + 1), plain(result.backend), status_word(result), took, title]
