"""Events of the merge queue, in words for the log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from weft.board.durations import duration_text
from weft.model import events as e
from weft.model.outcome import Failure, GateResult

MergeEvent: TypeAlias = (
    e.QueueHoldSet
    | e.QueueRemoveRequested
    | e.TargetRead
    | e.MergeMade
    | e.MergeGated
    | e.TargetGated
    | e.LandingEnded
    | e.JobQueued
    | e.MergeFailed
    | e.TargetRed
)


def merge_text(event: MergeEvent) -> str:
    match event:
        case e.QueueHoldSet(repo=repo, held=held):
            return f"merge queue of {repo} " + ("held" if held else "released")
        case e.QueueRemoveRequested():
            return "removal from the merge queue asked for"
        case e.JobQueued(target=target, ahead=ahead):
            return f"in the merge queue for {target}, {ahead} ahead"
        case e.TargetRead(repo=repo, tip=tip, made=made, problem=problem):
            how = "was made at" if made else "stands at"
            return f"target of {repo}: {problem}" if problem else f"target of {repo} {how} {_short(tip)}"
        case e.MergeFailed(reason=reason, repair=repair):
            return f"merge failed: {reason}; " + (f"repair {repair} follows" if repair else "no repair is left")
        case e.TargetRed(target=target, commit=commit, reason=reason):
            return f"target is red: {target} at {_short(commit)}: {reason}; the queue holds"
        case _:
            return f"merge {event.attempt.number}: {_build_text(event)}"


def _build_text(event: e.MergeMade | e.MergeGated | e.TargetGated | e.LandingEnded) -> str:
    match event:
        case e.MergeMade(onto=onto, commit=commit, conflicts=conflicts, problem=problem):
            if commit is not None:
                return f"merged onto {_short(onto)} as {_short(commit)}"
            return f"conflict with {_short(onto)} in {', '.join(conflicts)}" if conflicts else f"failed: {problem}"
        case e.MergeGated(results=results, failure=failure, flaky=flaky):
            return _gates_text(results, failure, flaky)
        case e.TargetGated(results=results, failure=failure, flaky=flaky):
            return "the target alone: " + _gates_text(results, failure, flaky)
        case e.LandingEnded(landed=landed, commit=commit, tip=tip, problem=problem):
            if landed:
                return f"landed as {_short(commit)}" + (f", problem: {problem}" if problem else "")
            return f"not landed: {problem}" if problem else f"not landed: the target moved to {_short(tip)}"


def _gates_text(results: Sequence[GateResult], failure: Failure | None, flaky: Sequence[str]) -> str:
    if failure is not None:
        return f"gates could not be run: {failure.message}"
    said = ", ".join(map(gate_text, results)) or "none"
    return f"gates: {said}" + (f" (flaky: {', '.join(flaky)})" if flaky else "")


def gate_text(result: GateResult) -> str:
    how = "passed" if result.passed else f"failed with exit status {result.exit_status}"
    return f"{result.name} {how} ({duration_text(result.duration)})"


def _short(commit: str | None) -> str:
    return commit[:12] if commit else "an unknown commit"
