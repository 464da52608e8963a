"""What `--json` says of merging, where a run merges."""

from __future__ import annotations

from typing import Any

from weft.board.views import JobView, RunView


def landing_part(job: JobView) -> dict[str, Any]:
    """Of a job that was in the merge queue."""
    if job.target is None:
        return {}
    return {"target": job.target, "landed": job.landed, "repairs": job.repairs}


def merge_part(view: RunView) -> dict[str, Any]:
    """Of a run with merge queues, for `weft status`."""
    if not view.queues:
        return {}
    targets = [
        {
            "repo": queue.repo,
            "target": queue.target,
            "landed": queue.landed,
            "queued": len(queue.items),
            "held": queue.held,
            "stuck": queue.stuck,
        }
        for queue in view.queues.values()
    ]
    return {"targets": targets, "flaky_gates": [{"gate": each.gate, "job": str(each.job)} for each in view.flaky]}
