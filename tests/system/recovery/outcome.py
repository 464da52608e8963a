"""What is left when a run is over, to be compared with an uninterrupted one's; and what may never be."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tests.system.recovery.world import Answer, World

from weft.assembly.recover import end_remains
from weft.model.events import PhaseEnded, SessionEnded
from weft.model.ids import RunId
from weft.model.outcome import PhaseStatus
from weft.model.phase import FailureClass
from weft.processes import find_marked
from weft.stores.claims import claim_run

PASSING = (PhaseStatus.LOST, PhaseStatus.RETRYING)
"""What a crash may add to or take from a job's story: an attempt made again, and with it a failure of the network."""


class Outcome(NamedTuple):
    """All of it must be the same with and without a crash. Trees, not commits: those have dates."""

    code: int
    jobs: dict[str, tuple[str, str | None]]
    stories: dict[str, list[tuple[str, str]]]
    """The phases that each job went through, in order, with how each ended."""
    trees: dict[str, str]
    commits: dict[str, int]
    """How many each branch has beyond the base: nothing is committed or merged twice."""
    worktrees: list[str]
    admin: list[str]
    checkout: dict[str, str]
    saved_of_failed: list[str]
    locks: list[str]
    """Git's, and those of jobs."""


def outcome(world: World, answer: Answer) -> Outcome:
    branches = [ref for ref in world.refs() if ref.startswith("refs/heads/weft/")]
    return Outcome(
        code=answer.code,
        jobs={job["key"]: (job["status"], job["reason"]) for job in answer.document["jobs"]},
        stories=stories(world, RunId(answer.document["run"])),
        trees={branch: world.repo.tip(f"{branch}^{{tree}}") for branch in branches},
        commits={branch: int(world.repo.git("rev-list", "--count", f"main..{branch}")) for branch in branches},
        worktrees=[path.name for path in world.worktrees()],
        admin=sorted(path.name for path in (world.repo.path / ".git").glob("worktrees/*")),
        checkout=world.repo.checkout_state(),
        saved_of_failed=sorted({ref.split("/")[3] for ref in world.repo.saved()} & {"shop.4"}),
        locks=[path.name for path in (*world.git_locks(), *world.job_locks())],
    )


def stories(world: World, run: RunId) -> dict[str, list[tuple[str, str]]]:
    told: dict[str, list[tuple[str, str]]] = {}
    for event in world.events(run):
        if isinstance(event, PhaseEnded) and event.status not in PASSING:
            told.setdefault(str(event.attempt.job), []).append((event.attempt.phase, event.status.value))
    return told


class Remains(NamedTuple):
    """What stood on disk at the moment of a crash."""

    commits: set[str]
    blobs: dict[str, Path]
    """The content of every file in a worktree that git does not ignore."""


NO_COMMIT = "0" * 40
"""What git writes as the HEAD of a worktree that it is just making."""


def remains(world: World) -> Remains:
    """To be looked at when nothing of the dead run lives any more."""
    heads = {world.repo.git("rev-parse", "HEAD", cwd=path, check=False) for path in world.worktrees()}
    commits = {*world.refs().values(), *(head for head in heads if len(head) == 40)} - {NO_COMMIT}
    files = [file for path in world.worktrees() for file in path.glob("*.txt")]
    return Remains(commits, dict(zip(_blobs(world, files), files, strict=True)))


def _blobs(world: World, files: list[Path]) -> list[str]:
    if not files:
        return []
    return world.repo.git("hash-object", "--", *map(str, files)).splitlines()


def check_nothing_lost(world: World, left: Remains) -> None:
    """Principle 2: each commit and each file's content is on some ref."""
    reachable = set(world.repo.git("rev-list", "--objects", "--no-object-names", "--all").splitlines())
    assert left.commits <= reachable, f"commits lost: {left.commits - reachable}"
    lost = {str(file): sha for sha, file in left.blobs.items() if sha not in reachable}
    assert not lost, f"work lost: {lost}"


def check_nothing_paid_twice(world: World, run: RunId) -> None:
    """No attempt is started twice; none whose process ended by itself is given up."""
    starts = Counter(words[1] for words in world.noted() if words[0] == "start")
    assert not [attempt for attempt, times in starts.items() if times > 1], starts
    events = world.events(run)
    lost = {event.attempt for event in events if isinstance(event, PhaseEnded) and event.status is PhaseStatus.LOST}
    ended = {event.attempt for event in events if isinstance(event, SessionEnded) and not _was_lost(event)}
    assert not ended & lost, "a session that had ended, and was journaled, counted as lost"
    finished = {path.name.removesuffix(".session.status") for path in world.state.rglob("*.session.status")}
    assert finished >= {f"{attempt.phase}-{attempt.number}" for attempt in ended if attempt not in lost}


def _was_lost(event: SessionEnded) -> bool:
    return event.outcome.failure is not None and event.outcome.failure.kind is FailureClass.LOST


def check_no_process(run: RunId) -> None:
    assert find_marked(run) == []


def show(world: World, run: RunId) -> str:
    """For a failure's message."""
    events = "\n".join(str(event)[:300] for event in world.events(run)[1:])
    return f"{events}\n{world.ledger.read_text()}"


def recover_and_compare(world: World, uninterrupted: Outcome, *, look: bool = True) -> None:
    """`weft recover` after a kill, and all that must hold then. `look`: first see what the dead run left; for that
    its processes must be gone, which recovery would see to by itself."""
    runs = world.runs
    if not runs:
        return  # not even the plan was written: nothing was begun
    (run,) = runs
    left = remains_of_dead(world, run) if look else None
    answer = world.weft("recover", "--json")
    if answer.document == {"runs": []}:
        answer = world.weft("report", run, "--json")._replace(code=uninterrupted.code)  # it had ended just before
    found = outcome(world, answer)
    assert found == uninterrupted._replace(checkout=world.checkout), answer.err + show(world, run)
    if left is not None:
        check_nothing_lost(world, left)
    check_nothing_paid_twice(world, run)
    check_no_process(run)
    assert world.weft("recover", "--json").document == {"runs": []}


def remains_of_dead(world: World, run: RunId) -> Remains:
    with claim_run(world.state, run) as claim:
        asyncio.run(end_remains(run, claim))
    return remains(world)
