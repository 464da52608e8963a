"""What `weft parallel`, `chain` and `compare` print with `--json` (TASK-7): keys and their order are fixed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from weft.board.task_results import Counts, TaskResult
from weft.board.times import iso_time
from weft.board.views import RunView
from weft.model.usage import Usage

Document = dict[str, Any]


def tasks_document(view: RunView, counts: Counts, results: Sequence[object]) -> Document:
    """`results`: documents of results, or the JSON of each."""
    return {
        "total_tasks": counts.total,
        "completed": counts.completed,
        "failed": counts.failed,
        "cancelled": counts.cancelled,
        "total_duration_seconds": round(view.duration(), 3),
        "start_time": iso_time(view.started_at),
        "end_time": None if view.ended_at is None else iso_time(view.ended_at),
        "results": list(results),
    }


def result_document(result: TaskResult, output: str, diff_stat: str | None = None) -> Document:
    facts = result.facts
    given: Document = {
        "id": facts.id,
        "name": facts.name,
        "tags": list(facts.tags) or None,
        "meta": None if facts.meta is None else msgspec.Raw(facts.meta.encode()),
    }
    document: Document = {"index": facts.index} | _present(given) | {"backend": result.backend}
    document |= _present({"model": result.model}) | {"status": result.status.value, "output": output}
    document |= _present({"error": result.error})
    document |= {
        "exit_code": result.exit_code,
        "duration_seconds": round(result.duration, 3),
        "start_time": None if result.started_at is None else iso_time(result.started_at),
        "end_time": None if result.ended_at is None else iso_time(result.ended_at),
        "usage": _usage(result.usage),
    }
    isolated = {"branch": result.branch, "diff_stat": diff_stat} if result.branch else {}
    return document | _present({"session_id": result.session_id}) | _present(isolated)


def _usage(usage: Usage) -> Document:
    tokens = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
    }
    return tokens | _present({"cost_usd": usage.cost_usd})


def _present(values: Document) -> Document:
    return {name: value for name, value in values.items() if value is not None}
