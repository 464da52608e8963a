"""What is said of GitHub on stderr: how many API calls planning took, and how many the whole run."""

from __future__ import annotations

from weft.board.views import RunView
from weft.cli.printing import note
from weft.model.plan import Plan


def told_calls(plan: Plan) -> None:
    if plan.api_calls:
        count = len(plan.jobs)
        note(f"GitHub: {count} {'issue' if count == 1 else 'issues'} read with {_calls(plan.api_calls)}")


def told_all_calls(view: RunView) -> None:
    if view.api_calls:
        note(f"GitHub: {_calls(view.api_calls)} in all")


def _calls(count: int) -> str:
    return f"{count} API {'call' if count == 1 else 'calls'}"
