"""The merge queue's commands that are git's alone: read the target, merge, land. Every trouble is an answer."""

from __future__ import annotations

from weft.errors import WeftError, WorkspaceError
from weft.execution.context import RunContext
from weft.model.commands import Land, MakeMerge, ReadTarget
from weft.model.events import LandingEnded, MergeMade, TargetRead
from weft.model.job import Job
from weft.model.plan import MergeInto
from weft.pipelines.defuse import defuse_line

_LONGEST_TITLE = 200


async def read_target(context: RunContext, command: ReadTarget) -> TargetRead:
    try:
        found = await context.merges.read_target(context.repos[command.repo], context.run)
    except WorkspaceError as error:
        return TargetRead(at=context.clock.now(), repo=command.repo, problem=in_words(error))
    return TargetRead(at=context.clock.now(), repo=command.repo, tip=found.commit, made=found.made)


async def make_merge(context: RunContext, command: MakeMerge) -> MergeMade:
    attempt, onto = command.attempt, command.onto
    repo = context.repo(attempt.job)
    assert repo.merge is not None
    message = merge_message(context.job(attempt.job), repo.merge)
    try:
        merged = await context.merges.merge(repo, attempt, command.source, onto, message)
    except WorkspaceError as error:
        return MergeMade(at=context.clock.now(), attempt=attempt, onto=onto, problem=in_words(error))
    return MergeMade(
        at=context.clock.now(), attempt=attempt, onto=onto, commit=merged.commit, conflicts=merged.conflicts
    )


async def land(context: RunContext, command: Land) -> LandingEnded:
    """Only who has the job's lock may land its work; after a crash it is taken again here."""
    attempt, commit = command.attempt, command.commit
    answer = context.locks.take(attempt.job)
    lost = answer.message if answer.holder is not None else context.locks.lost(attempt.job)
    if lost:
        return LandingEnded(at=context.clock.now(), attempt=attempt, commit=commit, landed=False, problem=lost)
    try:
        ended = await context.merges.land(context.repo(attempt.job), attempt, commit, command.expected)
    except WorkspaceError as error:
        at = context.clock.now()
        return LandingEnded(at=at, attempt=attempt, commit=commit, landed=False, problem=in_words(error))
    return LandingEnded(
        at=context.clock.now(),
        attempt=attempt,
        commit=commit,
        landed=ended.landed,
        tip=ended.tip,
        problem=ended.problem,
    )


def merge_message(job: Job, into: MergeInto) -> str:
    """The title comes from outside: one line of it, which triggers nothing where it is shown."""
    title = defuse_line(job.title, _LONGEST_TITLE).strip()
    about = f"{title} ({job.key})" if title else str(job.key)
    return f"Merge {job.branch} into {into.target}\n\n{about}\n\nWeft-Job: {job.key}"


def in_words(error: WeftError) -> str:
    return f"{error.message} (hint: {error.hint})" if error.hint else error.message
