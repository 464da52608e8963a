"""Gates on exactly the tree that is to land, in a folder of their own (MERGE-2, MERGE-5)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import msgspec

from weft.errors import WorkspaceError
from weft.execution.context import RunContext
from weft.execution.gates import run_gate
from weft.execution.merging import in_words
from weft.model.commands import GateMerge, GateTarget
from weft.model.events import MergeGated, TargetGated
from weft.model.ids import AttemptId
from weft.model.outcome import Failure, GateResult
from weft.model.phase import FailureClass
from weft.model.plan import Gate
from weft.ports import MergeTree

STOPPED = Failure(FailureClass.KILLED, "stopped before the gates had run")


class Gated(msgspec.Struct, frozen=True):
    results: tuple[GateResult, ...] = ()
    flaky: tuple[str, ...] = ()
    failure: Failure | None = None


async def gate_commit(
    context: RunContext, command: GateMerge | GateTarget, stop: asyncio.Event
) -> MergeGated | TargetGated:
    """A branch merged with those ahead of it, or the target alone."""
    gated = await _gated(context, command.attempt, command.commit, stop)
    told = MergeGated if isinstance(command, GateMerge) else TargetGated
    return told(
        at=context.clock.now(),
        attempt=command.attempt,
        commit=command.commit,
        results=gated.results,
        flaky=gated.flaky,
        failure=gated.failure,
    )


async def _gated(context: RunContext, attempt: AttemptId, commit: str, stop: asyncio.Event) -> Gated:
    if not context.repo(attempt.job).gates:
        return Gated()
    try:
        tree = await _checked_out(context, attempt, commit, stop)
        if tree is None:
            return Gated(failure=STOPPED)
        try:
            gated = await _run_all(context, attempt, tree, stop)
        except WorkspaceError:
            await tree.remove()
            raise
        await tree.remove()
    except WorkspaceError as error:
        return Gated(failure=Failure(FailureClass.SETUP, in_words(error)))
    return gated


async def _checked_out(context: RunContext, attempt: AttemptId, commit: str, stop: asyncio.Event) -> MergeTree | None:
    """None: stopped before it was made, and nothing of it is left."""
    making = asyncio.create_task(
        context.merges.check_out(context.repo(attempt.job), attempt, commit), name=f"check out {attempt}"
    )
    stopping = asyncio.create_task(stop.wait(), name=f"stop of {attempt}")
    try:
        await asyncio.wait({making, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (making, stopping):
            task.cancel()
        await asyncio.gather(making, stopping, return_exceptions=True)
    return None if making.cancelled() else making.result()


async def _run_all(context: RunContext, attempt: AttemptId, tree: MergeTree, stop: asyncio.Event) -> Gated:
    """All of them; then those that failed once more on the same tree, to tell the flaky ones."""
    gates, layout = context.repo(attempt.job).gates, context.layout
    first = await _run(context, attempt, [(gate, layout.gate(attempt, gate.name)) for gate in gates], tree, stop)
    failed = {result.name for result in first.results if not result.passed}
    if first.failure is not None or not failed:
        return first
    await tree.reset()
    again = [(gate, layout.gate_again(attempt, gate.name)) for gate in gates if gate.name in failed]
    second = await _run(context, attempt, again, tree, stop)
    later = {result.name: result for result in second.results}
    return Gated(
        results=tuple(later.get(result.name, result) for result in first.results),
        flaky=tuple(name for name, result in later.items() if result.passed),
        failure=second.failure,
    )


async def _run(
    context: RunContext,
    attempt: AttemptId,
    gates: Iterable[tuple[Gate, str]],
    tree: MergeTree,
    stop: asyncio.Event,
) -> Gated:
    results: list[GateResult] = []
    for gate, log in gates:
        result = await run_gate(context, attempt, gate, tree.path, Path(log), stop)
        if isinstance(result, Failure):
            return Gated(tuple(results), failure=result)
        results.append(result)
    return Gated(tuple(results))
