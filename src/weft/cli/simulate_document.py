"""`weft simulate --json`."""

from __future__ import annotations

from collections.abc import Sequence

from weft.assembly.simulation import Played, bound_of, cost_of, enough, lanes_of, phase_times
from weft.assembly.simulation_plan import Scenario
from weft.board.document import Document


def simulation_document(scenario: Scenario, played: Sequence[Played]) -> Document:
    """`runs`: one per cap; `enough_cap`: the smallest that is about as fast as the fastest of them."""
    one = enough(played)
    plan, times = scenario.plan, scenario.times
    cost = cost_of(one, plan, times)
    bound = bound_of(one, plan, times)
    return {
        "simulated": scenario.of,
        "mode": plan.mode.value,
        "jobs": len(one.spans),
        "enough_cap": one.cap,
        "at_best": {"seconds": bound.seconds, "lane": bound.lane},
        "cost_usd": None if cost.unknown else cost.usd,
        "cost_of_known_usd": cost.usd if cost.known else None,
        "sessions_of_unknown_cost": cost.unknown,
        "durations": [
            {"phase": time.phase, "seconds": time.seconds, "source": time.source.value, "jobs": time.jobs}
            for time in phase_times(one, plan, times)
        ],
        "runs": [_run(one) for one in played],
    }


def _run(one: Played) -> Document:
    result = one.result
    return {
        "cap": one.cap,
        "makespan_seconds": result.makespan,
        "work_seconds": result.work,
        "utilisation": result.utilisation,
        "peak": result.peak,
        "waiting_seconds": one.waiting,
        "events": result.events,
        "statuses": {status.value: count for status, count in result.statuses.items()},
        "lanes": [
            {
                "name": lane.name,
                "jobs": lane.jobs,
                "busy_seconds": lane.busy,
                "waiting_seconds": lane.waiting,
                "start_seconds": lane.start,
                "end_seconds": lane.end,
            }
            for lane in lanes_of(one)
        ],
    }
