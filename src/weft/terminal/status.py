"""What `weft status` prints: first what needs a person, then runs under way, then recent ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from weft.board.durations import duration_text, money_text
from weft.board.inbox import InboxItem, InboxKind, inbox
from weft.board.merging import flaky_gates
from weft.board.states import RunStatus
from weft.board.times import iso_time
from weft.board.views import JobView, RunView
from weft.model.job import JobStatus
from weft.terminal.columns import columns
from weft.terminal.glyphs import UNICODE, Glyphs
from weft.terminal.merge_summary import queued_text
from weft.terminal.plain import plain

MOST_JOBS = 20
"""Jobs listed under one heading; the rest are counted."""


def status_text(
    views: Sequence[RunView],
    now: float | None = None,
    glyphs: Glyphs = UNICODE,
    items: Sequence[InboxItem] | None = None,
) -> str:
    """`views`: newest first. `items`: what needs a person; default: as the runs alone tell."""
    if not views:
        return "No runs yet\nhint: `weft run ISSUE` starts one, `weft demo` shows one\n"
    under_way = [view for view in views if view.status is RunStatus.RUNNING]
    recent = [view for view in views if view.status is not RunStatus.RUNNING]
    blocks = [
        _block("NEEDS YOU", inbox_lines(inbox(views, now=now) if items is None else items, glyphs)),
        _block("FLAKY GATES", _flaky(views)),
        _block("SAVED WORK", _saved(views)),
        _block("UNDER WAY", [line for view in under_way for line in _under_way(view, now, glyphs)]),
        _block("RECENT", columns([_recent(view, glyphs) for view in recent], indent="  ")),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


PUBLISHING = "its pull request is being made"


def lever_text(view: RunView, glyphs: Glyphs = UNICODE) -> str:
    """`cap 2 (governor: memory low) · paused · 2 in flight · 3 waiting`."""
    cap = f"cap {view.cap}"
    governor = view.governor
    if governor.cap is not None and governor.cap < view.cap_asked:
        cap += f" (governor: {plain(governor.why or 'no reason given')}, asked for {view.cap_asked})"
    told = [plain(limit.why) for limit in view.limits.values() if limit.why and limit.cap is None]
    parts = [cap, *told, "paused" if view.paused else "", f"{view.in_flight} in flight"]
    parts += [f"{len(view.queued)} queued to merge"] if view.queued else []
    parts += [f"{len(view.publishing)} getting a pull request"] if view.publishing else []
    parts += [
        f"{view.waiting} waiting",
        *(f"{plain(queue.target)} held" for queue in view.queues.values() if queue.held),
    ]
    if view.stop_signal is not None and view.ended_at is None:
        parts.append("stopping")
    return f" {glyphs.dot} ".join(part for part in parts if part)


def current_text(job: JobView, worked: float, glyphs: Glyphs) -> str:
    """`exec · claude (opus) · attempt 2 · 1m 3s`."""
    latest = job.current.latest if job.current else None
    if job.current is None or latest is None:
        return "preparing its workspace" if job.in_flight else ""
    if job.retry_at is not None:
        return plain(f"{job.current.name} {glyphs.dot} waits for its retry: {latest.reason or 'a passing failure'}")
    agent = f"{latest.agent or ''} ({latest.model})" if latest.model else latest.agent or ""
    took = latest.duration if latest.duration is not None else max(0.0, worked - latest.begun)
    parts = [job.current.name, agent, f"attempt {latest.number}", duration_text(took)]
    return plain(f" {glyphs.dot} ".join(part for part in parts if part))


def _block(title: str, lines: list[str]) -> str:
    return "\n".join([title, *lines]) if lines else ""


def inbox_lines(items: Iterable[InboxItem], glyphs: Glyphs = UNICODE) -> list[str]:
    """Each with why, and what can be done; of the jobs of one run only so many."""
    lines: list[str] = []
    jobs: Counter[str] = Counter()
    for item in items:
        jobs[item.run] += item.job is not None
        if item.job is None or jobs[item.run] <= MOST_JOBS:
            lines.extend(_item_lines(item))
    more = [(run, count - MOST_JOBS) for run, count in jobs.items() if count > MOST_JOBS]
    return lines + [f"  {glyphs.ellipsis} and {count} more in {run}" for run, count in more]


def _item_lines(item: InboxItem) -> list[str]:
    between = " " if item.kind is InboxKind.INTERRUPTED else ": "
    title = f"{item.title} {item.status.replace('_', ' ')}".strip()
    head = f"{title}{between}{item.reason}" if item.reason else title
    below = (*item.details, f"hint: {', '.join(item.actions)}")
    return [f"  {plain(head)}", *(f"    {plain(line)}" for line in below)]


def _flaky(views: Iterable[RunView]) -> list[str]:
    """Gates that failed and then passed on the same tree, with where that was seen."""
    rows = [
        [gate, f"in {view.run}", ", ".join(map(view.label, jobs))]
        for view in views
        for gate, jobs in flaky_gates(view).items()
    ]
    return columns(rows, indent="  ")


def _saved(views: Iterable[RunView]) -> list[str]:
    """Every ref that holds saved work, whatever became of its job."""
    rows = [[str(job.key), view.run, ref] for view in views for job in view.jobs.values() for ref in job.saved]
    return columns(rows, indent="  ")


def _under_way(view: RunView, now: float | None, glyphs: Glyphs) -> list[str]:
    head = [view.run, view.mode.value, f"{view.ended} of {len(view.jobs)} done", lever_text(view, glyphs)]
    head += [duration_text(view.duration(now)), money_text(view.usage.cost_usd) if view.usage.sessions else ""]
    worked = view.worked(now)
    running = list(view.running.values())
    rows = [[view.label(job.key), job.job.title, current_text(job, worked, glyphs)] for job in running[:MOST_JOBS]]
    queued = list(view.queued.values())[:MOST_JOBS]
    rows += [[view.label(job.key), job.job.title, queued_text(view, job, glyphs, now)] for job in queued]
    publishing = [job for job in view.jobs.values() if job.publishing][:MOST_JOBS]
    rows += [[view.label(job.key), job.job.title, PUBLISHING] for job in publishing]
    lines = ["  " + f" {glyphs.dot} ".join(part for part in head if part), *columns(rows, indent="    ")]
    if len(running) > MOST_JOBS:
        lines.append(f"    {glyphs.ellipsis} and {len(running) - MOST_JOBS} more")
    return lines


def _recent(view: RunView, glyphs: Glyphs) -> list[str]:
    counts = [
        f"{view.counts[status]} {status.value.replace('_', ' ')}" for status in JobStatus if status in view.counts
    ]
    return [
        view.run,
        view.status.value,
        iso_time(view.started_at)[:16].replace("T", " "),
        duration_text(view.duration()),
        f" {glyphs.dot} ".join(counts),
    ]
