"""What `weft stats` prints (RUN-18)."""

from __future__ import annotations

from collections.abc import Mapping

from weft.board.durations import duration_text, money_text
from weft.board.figures import Cost, Rate, Spread
from weft.board.stats import Stats
from weft.terminal.columns import columns
from weft.terminal.glyphs import UNICODE, Glyphs


def stats_text(stats: Stats, glyphs: Glyphs = UNICODE) -> str:
    if not stats.jobs:
        return "No jobs were run in this time\n"
    blocks = [
        [f" {glyphs.dot} ".join([_count(stats.runs, "run"), f"{_count(stats.jobs, 'job')} begun", _cost(stats.cost)])],
        _table("SUCCESS BY MODE (jobs)", ["mode", "rate", "n"], _rates(stats.by_mode)),
        _table("SUCCESS BY PHASE (attempts)", ["phase", "rate", "n", "transient failures"], _phases(stats)),
        _table("SUCCESS BY BACKEND (attempts)", ["backend", "rate", "n"], _rates(stats.by_agent)),
        _table("DURATION OF JOBS", ["mode", "median", "p90", "n"], _spreads(stats.job_durations)),
        _table("DURATION OF PASSED ATTEMPTS", ["phase", "median", "p90", "n"], _spreads(stats.phase_durations)),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _table(title: str, header: list[str], rows: list[list[str]]) -> list[str]:
    return [title, *columns([header, *rows], indent="  ")] if rows else []


def _rates(rates: Mapping[str, Rate]) -> list[list[str]]:
    return [[name, _percent(rate), f"n={rate.n}"] for name, rate in rates.items()]


def _phases(stats: Stats) -> list[list[str]]:
    return [[*row, str(stats.transient.get(row[0], 0))] for row in _rates(stats.by_phase)]


def _percent(rate: Rate) -> str:
    return "unknown" if rate.value is None else f"{rate.value:.0%}"


def _spreads(spreads: Mapping[str, Spread]) -> list[list[str]]:
    return [
        [name, duration_text(spread.median or 0.0), duration_text(spread.p90 or 0.0), f"n={len(spread.seconds)}"]
        for name, spread in spreads.items()
    ]


def _cost(cost: Cost) -> str:
    if not cost.known:
        return "cost unknown"
    unknown = f" (and {_count(cost.unknown, 'job')} of unknown cost)" if cost.unknown else ""
    return f"{money_text(cost.usd)} over {_count(cost.known, 'job')}{unknown}"


def _count(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"
