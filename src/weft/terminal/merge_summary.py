"""What a run's summary, its report and `weft status` say of merging besides each job's row."""

from __future__ import annotations

import re
import shlex

from weft.board.durations import duration_text
from weft.board.merging import flaky_gates
from weft.board.queue_view import MergeStand, QueueView
from weft.board.views import JobView, RunView
from weft.terminal.glyphs import Glyphs
from weft.terminal.plain import plain

_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_STANDS = {
    MergeStand.WAITING: "waits in the merge queue",
    MergeStand.TESTING: "gates run on the merged tree",
    MergeStand.GREEN: "green, lands next",
    MergeStand.REFUSED: "does not go with those ahead",
}


def merge_warnings(view: RunView, glyphs: Glyphs) -> list[str]:
    """Targets that nothing can land on, and gates that say now this, now that."""
    lines = [f"{glyphs.warning} {queue.target}: {queue.stuck}" for queue in view.queues.values() if queue.stuck]
    flaky = [f"{gate} ({', '.join(map(view.label, jobs))})" for gate, jobs in flaky_gates(view).items()]
    if flaky:
        lines.append(f"{glyphs.warning} flaky gates, failed and then passed on the same tree: {', '.join(flaky)}")
    return [plain(line) for line in lines]


def merge_hints(view: RunView) -> list[str]:
    """How to look at what landed: one line for each target."""
    return [plain(_hint(view, queue)) for queue in view.queues.values() if queue.landed]


def _hint(view: RunView, queue: QueueView) -> str:
    where = "" if view.one_repo else f" -C {shlex.quote(view.repos.get(queue.repo, '.'))}"
    base = queue.base[:12] if _COMMIT.fullmatch(queue.base) else queue.base
    return f"next: git{where} diff {shlex.quote(f'{base}...{queue.target}')}"


def queued_text(view: RunView, job: JobView, glyphs: Glyphs, now: float | None = None) -> str:
    """`merge into weft/m1 · gates run on the merged tree · 2 ahead · 1m 3s`."""
    if job.stand is None:
        return ""
    ahead = view.ahead(job)
    queue = view.queues.get(job.key.repo)
    stands = queue.standing if queue else None
    how = "landed" if job.merged else f"holds: {stands}" if stands else _STANDS[job.stand]
    since = max(0.0, (now if now is not None else view.last_at) - (job.queued_at or 0.0))
    parts = [f"merge into {job.target}", how, f"{ahead} ahead" if ahead else "", duration_text(since)]
    return plain(f" {glyphs.dot} ".join(part for part in parts if part))
