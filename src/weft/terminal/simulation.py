"""What `weft simulate` prints (PLAN-2)."""

from __future__ import annotations

from collections.abc import Sequence

from weft.assembly.simulation import (
    Bound,
    Cost,
    LaneLoad,
    PhaseTime,
    Played,
    bound_of,
    cost_of,
    enough,
    lanes_of,
    phase_times,
)
from weft.assembly.simulation_plan import Scenario
from weft.assembly.simulation_times import Expected, Source
from weft.board.durations import duration_text, money_text
from weft.terminal.columns import columns
from weft.terminal.glyphs import UNICODE, Glyphs
from weft.terminal.plain import plain

MOST_LANES = 20
NEAR = 1.05
"""A bound explains a time that is hardly longer."""
_SOURCES = {
    Source.SAID: "as you said",
    Source.RUN: "as it took in that run",
    Source.HISTORY: "median of earlier attempts",
    Source.ASSUMED: "assumed: nothing is known yet (`--estimate` says otherwise)",
}


def simulation_text(scenario: Scenario, played: Sequence[Played], glyphs: Glyphs = UNICODE) -> str:
    """One cap in full, or a table of several."""
    one = enough(played)
    head = _header(scenario, one, glyphs, None if len(played) > 1 else one.cap)
    figures = _one(scenario, one) if len(played) == 1 else _several(scenario, played)
    durations = [_duration_row(time, one) for time in phase_times(one, scenario.plan, scenario.times)]
    blocks = [
        [head],
        figures,
        _lanes(one, glyphs) if len(played) == 1 else [],
        _block("DURATIONS", [*durations, *_gate_rows(scenario)]),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _header(scenario: Scenario, one: Played, glyphs: Glyphs, cap: int | None) -> str:
    lanes = len({span.job.lane for span in one.spans})
    parts = [f"SIMULATION of {scenario.of}", _count(len(one.spans), "job"), _count(lanes, "lane")]
    return plain(f" {glyphs.dot} ".join([*parts, *([f"cap {cap}"] if cap else [])]))


def _one(scenario: Scenario, one: Played) -> list[str]:
    result = one.result
    bound = bound_of(one, scenario.plan, scenario.times)
    rows = [
        ["ends after", duration_text(result.makespan)],
        ["work", duration_text(result.work)],
        ["utilisation", f"{result.utilisation:.0%} of {_count(one.cap, 'slot')}"],
        ["most at once", f"{result.peak:,}"],
        ["waiting", f"{duration_text(one.wait)} a job, ready but without a slot or its lane"],
        ["cost", cost_text(cost_of(one, scenario.plan, scenario.times))],
        ["at best", f"{duration_text(bound.seconds)} with any cap ({_bound(bound)})"],
    ]
    return columns(rows, indent="  ")


def _several(scenario: Scenario, played: Sequence[Played]) -> list[str]:
    header = ["cap", "ends after", "utilisation", "most at once", "waiting a job"]
    rows = [
        [
            f"{one.cap:,}",
            duration_text(one.result.makespan),
            f"{one.result.utilisation:.0%}",
            f"{one.result.peak:,}",
            duration_text(one.wait),
        ]
        for one in played
    ]
    cost = cost_text(cost_of(played[0], scenario.plan, scenario.times))
    return [*columns([header, *rows], indent="  "), "", f"  cost  {cost}", f"  {hint(scenario, played)}"]


def hint(scenario: Scenario, played: Sequence[Played]) -> str:
    """Where more does not help, and why."""
    one = enough(played)
    if one.cap == max(other.cap for other in played):
        return f"hint: a cap of {one.cap} is the fastest of these, and more may be faster still"
    bound = bound_of(one, scenario.plan, scenario.times)
    because = (
        f": {_bound(bound)} takes {duration_text(bound.seconds)}" if bound.seconds * NEAR >= one.result.makespan else ""
    )
    return f"hint: a cap of {one.cap} is enough, more is no faster{because}"


def _bound(bound: Bound) -> str:
    return "the longest path" if bound.lane is None else f"lane `{plain(bound.lane)}` alone"


def cost_text(cost: Cost) -> str:
    if not cost.known or (cost.unknown and not cost.usd):
        return "unknown" if cost.unknown else money_text(0.0)
    rest = f", and {_count(cost.unknown, 'session')} of unknown cost" if cost.unknown else ""
    return f"about {money_text(cost.usd)}{rest}"


def _lanes(one: Played, glyphs: Glyphs) -> list[str]:
    lanes = lanes_of(one)
    if len(lanes) < 2:
        return []
    header = ["lane", "jobs", "work", "from", "to", "busy", "waiting"]
    rows = [_lane_row(lane, one) for lane in lanes[:MOST_LANES]]
    more = [f"  {glyphs.ellipsis} and {len(lanes) - MOST_LANES:,} more"] if len(lanes) > MOST_LANES else []
    return ["LANES", *columns([header, *rows], indent="  "), *more]


def _lane_row(lane: LaneLoad, one: Played) -> list[str]:
    share = lane.busy / one.result.makespan if one.result.makespan else 0.0
    times = [duration_text(seconds) for seconds in (lane.busy, lane.start, lane.end)]
    return [lane.name, f"{lane.jobs:,}", *times, f"{share:.0%}", duration_text(lane.waiting)]


def _duration_row(time: PhaseTime, one: Played) -> list[str]:
    jobs = "" if time.jobs == len(one.spans) else _count(time.jobs, "job")
    return [time.phase, duration_text(time.seconds), _SOURCES[time.source], jobs]


def _gate_rows(scenario: Scenario) -> list[list[str]]:
    """Of the merge queues, where there are any: those that are alike once."""
    expected: dict[Expected, list[str]] = {}
    for repo in scenario.plan.repos:
        if repo.merge is not None:
            expected.setdefault(scenario.times.expected_gates(repo.name), []).append(repo.name)
    return [
        ["gates", duration_text(gates.seconds), _SOURCES[gates.source], f"merging in {_names(repos)}"]
        for gates, repos in expected.items()
    ]


def _names(repos: list[str]) -> str:
    return ", ".join(repos) if len(repos) <= 3 else f"{len(repos):,} repos"


def _block(title: str, rows: list[list[str]]) -> list[str]:
    return [title, *columns(rows, indent="  ")] if rows else []


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}" if number == 1 else f"{number:,} {name}s"
