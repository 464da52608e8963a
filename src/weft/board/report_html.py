"""A run from first to last as one page that needs nothing else (UI-3): no script, no network, light and dark.

Titles, reasons and what gates print are anyone's text: all of it is escaped.
"""

from __future__ import annotations

import re

from weft.board.costs import CostRow, Costs
from weft.board.durations import money_text
from weft.board.html import section, table, tag, text
from weft.board.inbox import InboxItem, inbox
from weft.board.projects import cancelled_why, project_errors, project_views
from weft.board.report_jobs import job_details, job_row, word
from weft.board.report_rows import run_facts
from weft.board.report_style import STYLE
from weft.board.run_timeline import run_timeline
from weft.board.timeline_svg import timeline_svg
from weft.board.views import RunView
from weft.model.plan import Mode

MOST_SHOWN = 6
"""Of what needs a person; the rest is folded up."""
_COMMAND = re.compile("`([^`<>]+)`")


def report_html(view: RunView, costs: Costs, now: float | None = None) -> str:
    """`now`: for a run under way."""
    begun = [job for job in view.jobs.values() if job.begun is not None]
    header = ["job", "title", "status", "phases", "branch", "duration", "cost", "reason"]
    parts = [
        tag("h1", f"Run {text(view.run)} {word(view.status.value)}"),
        tag("p", text(_counted(view)), class_="r-dim"),
        _facts(view),
        _needs(inbox([view], now=now)),
        section("Timeline", tag("div", timeline_svg(run_timeline(view, now)), class_="r-wide") if begun else ""),
        _projects(view),
        section("Outcomes", table(header, [job_row(view, job) for job in view.jobs.values()])),
        section("Merge queue", _queues(view)),
        section("Cost", _costs(costs)),
        section("Attempts", "\n".join(job_details(view, job) for job in begun)),
    ]
    return _page(f"Weft run {view.run}", "\n".join(part for part in parts if part))


def _page(title: str, body: str) -> str:
    policy = tag("title", text(title)) + "\n"
    # Should anything ever slip through unescaped, the browser runs none of it.
    policy += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    head = f'<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n{policy}'
    head = f"<head>\n{head}\n<style>{STYLE}</style>\n</head>"
    return f'<!doctype html>\n<html lang="en">\n{head}\n<body>\n{body}\n</body>\n</html>\n'


def _counted(view: RunView) -> str:
    counts = [f"{count} {status.value.replace('_', ' ')}" for status, count in view.counts.items()]
    left = len(view.jobs) - view.ended
    return f"{len(view.jobs)} jobs: " + ", ".join([*counts, *([f"{left} unfinished"] if left else [])])


def _facts(view: RunView) -> str:
    facts = [pair for pair in run_facts(view) if pair[0] not in ("run", "status")]
    return tag("dl", "\n".join(tag("dt", text(name)) + tag("dd", text(value)) for name, value in facts))


def _needs(items: list[InboxItem]) -> str:
    """What was parked and why, and what can be done."""
    if not items:
        return ""
    lines = [_need(item) for item in items]
    shown, more = "\n".join(lines[:MOST_SHOWN]), "\n".join(lines[MOST_SHOWN:])
    folded = tag("details", tag("summary", f"and {len(lines) - MOST_SHOWN} more") + more) if more else ""
    return tag("section", tag("h2", "Needs a person") + f"\n{shown}\n{folded}", class_="r-needs")


def _need(item: InboxItem) -> str:
    head = tag("strong", text(item.title)) + " " + (word(item.status) if item.status else text(item.kind.value))
    actions = _COMMAND.sub(r"<code>\1</code>", text(", ".join(item.actions)))
    below = [text(line) for line in item.details] + [tag("span", actions, class_="r-dim")]
    return tag("p", f"{head} {text(item.reason)}<br>" + "<br>".join(below))


def _projects(view: RunView) -> str:
    if view.mode is not Mode.PROJECTS:
        return ""
    rows = [
        [
            text(one.project.name),
            text(one.project.path),
            word(one.status.value if one.status else "running"),
            text(", ".join(job.key.id for job in one.jobs)),
            text(one.reason or ""),
        ]
        for one in project_views(view)
    ]
    shown = table(["project", "path", "status", "tasks", "reason"], rows)
    why, errors = cancelled_why(view), project_errors(view)
    said = tag("p", tag("strong", text(f"run cancelled: {why}"))) if why else ""
    listed = "".join(tag("li", text(f"{error.project}: {error.message}")) for error in errors)
    wrong = section(f"Errors: {len(errors)}", tag("ul", listed) if errors else tag("p", "None."))
    return section("Projects", said + shown) + wrong


def _queues(view: RunView) -> str:
    rows = [
        [text(queue.repo), text(queue.target), str(queue.landed), str(len(queue.items)), text(queue.standing or "")]
        for queue in view.queues.values()
    ]
    return table(["repo", "target", "landed", "in the queue", "stands because"], rows)


def _costs(costs: Costs) -> str:
    if not costs.total.sessions:
        return ""
    rows = [["all", "", *_cost_cells(costs.total)]]
    for what, found in (("agent", costs.by_agent), ("model", costs.by_model), ("day", costs.by_day)):
        rows += [[what, text(name), *_cost_cells(row)] for name, row in found.items()]
    return table(["by", "", "sessions", "tokens in", "cached", "tokens out", "cost"], rows)


def _cost_cells(row: CostRow) -> list[str]:
    cost = money_text(row.cost_usd)
    if row.unknown and row.usd:
        cost = f"{money_text(row.usd)} and {row.unknown} sessions of unknown cost"
    counts = [row.sessions, row.input_tokens, row.cached_tokens, row.output_tokens]
    return [*(tag("span", f"{count:,}", class_="r-num") for count in counts), text(cost)]
