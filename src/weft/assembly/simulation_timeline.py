"""A simulated run as a timeline: a row per lane, the busiest first."""

from __future__ import annotations

from weft.assembly.simulation import JobSpan, Played, lanes_of
from weft.board.durations import duration_text
from weft.board.timeline import Bar, Row, Timeline, Tone
from weft.model.plan import Plan


def timeline_of(played: Played, plan: Plan) -> Timeline:
    bars: dict[str, list[Bar]] = {lane.name: [] for lane in lanes_of(played)}
    for span in played.spans:
        bars[span.job.lane].extend(_bars(span))
    title = f"{plan.name or plan.mode.value}: {len(played.spans):,} jobs, cap {played.cap}, "
    return Timeline(
        title + duration_text(played.result.makespan),
        0.0,
        played.result.makespan,
        [Row(lane, of) for lane, of in bars.items()],
    )


def _bars(span: JobSpan) -> list[Bar]:
    """Its work, then the time it stood in the merge queue."""
    key, title = str(span.job.key), span.job.title
    waited = f", waited {duration_text(span.start - span.ready)}" if span.start > span.ready else ""
    at_work = f"{key} {title}\n{duration_text(span.start)} to {duration_text(span.freed)}{waited}"
    bars = [Bar(span.start, span.freed, key, at_work)]
    if span.end > span.freed:
        queued = f"{key} in the merge queue\n{duration_text(span.freed)} to {duration_text(span.end)}"
        bars.append(Bar(span.freed, span.end, "", queued, Tone.QUEUE))
    return bars
