"""What the author of a task file should know, and is no reason not to start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from weft.model.ids import JobKey
from weft.model.job import Job

_MOST_LOOKED_AT = 20


def summed(said: Iterable[tuple[str, str]]) -> list[str]:
    """Each warning once, with the first task it is about and how many more."""
    about: dict[str, list[str]] = {}
    for path, warning in said:
        about.setdefault(warning, []).append(path)
    return [f"{_paths(paths)}: {warning}" for warning, paths in about.items()]


def _paths(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


def shared_folders(jobs: Sequence[Job], writers: Sequence[tuple[Job, Path]], path: Callable[[int], str]) -> list[str]:
    """TASK-10: tasks that may write to one folder at the same time, each folder once."""
    needs: dict[JobKey, Sequence[JobKey]] = {job.key: job.depends_on for job in jobs}
    by_folder: dict[Path, list[Job]] = {}
    for job, folder in writers:
        by_folder.setdefault(folder.resolve(), []).append(job)
    warnings = []
    for folder, inside in by_folder.items():
        above = [job for parent in folder.parents for job in by_folder.get(parent, ())]
        pair = _at_once([*above, *inside], needs)
        if pair:
            numbers = sorted(job.task.index for job in pair if job.task)
            who = " and ".join(map(path, numbers))
            warnings.append(f'{who} may write to `{folder}` at the same time (hint: `"isolation": "worktree"`)')
    return warnings


def _at_once(jobs: Sequence[Job], needs: dict[JobKey, Sequence[JobKey]]) -> tuple[Job, Job] | None:
    """Two of which neither waits for the other; looked for among the first ones, since one pair is enough to say so."""
    some = jobs[:_MOST_LOOKED_AT]
    behind = {job.key: _behind(job.key, needs) for job in some} if len(some) > 1 else {}
    for place, job in enumerate(some):
        for other in some[place + 1 :]:
            if other.key not in behind[job.key] and job.key not in behind[other.key]:
                return job, other
    return None


def _behind(key: JobKey, needs: dict[JobKey, Sequence[JobKey]]) -> set[JobKey]:
    """All that a job waits for, directly or not."""
    found: set[JobKey] = set()
    pending = [key]
    while pending:
        new = [need for need in needs[pending.pop()] if need not in found]
        found.update(new)
        pending += new
    return found
