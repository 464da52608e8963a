"""`weft report --cost` for people: a small table each by job, agent, model and day."""

from __future__ import annotations

from weft.board.costs import CostRow, Costs
from weft.board.durations import money_text
from weft.terminal.columns import columns
from weft.terminal.plain import plain

HEAD = ["", "sessions", "input", "output", "cached", "cost"]


def costs_text(costs: Costs) -> str:
    if not costs.total.sessions:
        return "no session was run\n"
    parts = [
        ("by job", costs.by_job),
        ("by agent", costs.by_agent),
        ("by model", costs.by_model),
        ("by day", costs.by_day),
        ("in all", {"": costs.total}),
    ]
    rows: list[list[str]] = []
    for title, found in parts:
        rows += [[title, *HEAD[1:]], *([f"  {plain(name)}", *_figures(row)] for name, row in found.items())]
    return "\n".join(columns(rows)) + "\n"


def _figures(row: CostRow) -> list[str]:
    counts = [row.sessions, row.input_tokens, row.output_tokens, row.cached_tokens]
    return [*(f"{count:,}" for count in counts), cost_text(row)]


def cost_text(row: CostRow) -> str:
    """`$1.20`, `unknown`, or `$1.20 and 2 sessions of unknown cost`."""
    if not row.unknown:
        return money_text(row.usd)
    if row.unknown == row.sessions:
        return "unknown"
    rest = "1 session" if row.unknown == 1 else f"{row.unknown} sessions"
    return f"{money_text(row.usd)} and {rest} of unknown cost"
