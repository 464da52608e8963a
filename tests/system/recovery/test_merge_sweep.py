"""kill -9 around every event of a run that merges, and inside its git, then `weft recover` (RECOVER-3, RECOVER-5)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from tests.system.recovery.outcome import check_no_process, check_nothing_lost, check_nothing_paid_twice, show
from tests.system.recovery.outcome import remains_of_dead as remains_of
from tests.system.recovery.world import ISSUES, SUPPORT, Answer, World

EVENTS = range(38, 87)
"""From where the first branch stands in the queue to the run's end, give or take a few."""
SAMPLE = EVENTS[3::6]
OTHERS = [index for index in EVENTS if index not in SAMPLE]
CALLS = [(how, call) for call in range(16, 43) for how in (("before", "outlives"), ("after", "middle"))[call % 2]]
"""Git calls that write, from about the first merge on."""
TARGET = "weft/joined"
MERGED = ("--merge", "queue")
BOTH = pytest.mark.parametrize("when", ["before", "after"])


class Landed(NamedTuple):
    """What must be the same with and without a crash, in whatever order the branches landed."""

    code: int
    jobs: dict[str, tuple[str, str | None, bool]]
    """Status, reason, and whether it is merged."""
    tree: str
    landings: int
    """Merges on the target's own line."""
    admin: list[str]
    checkout: dict[str, str]
    locks: list[str]


def make_world(folder: Path) -> World:
    world = World(folder, agent=SUPPORT / "merging_agent.sh")
    settings = (world.repo.path / "weft.toml").read_text()
    gate = "test = \"! ls half-*.txt && ! grep -s '<<<<' shared.txt\""
    settings = settings.replace('test = "! ls half-*.txt"', gate)
    world.repo.write("weft.toml", f'{settings}\n[merge]\ntarget = "{TARGET}"\n')
    world.repo.commit("a queue")
    world.checkout = world.repo.checkout_state()
    return world


def landed(world: World, answer: Answer) -> Landed:
    line = world.repo.git("rev-list", "--first-parent", f"main..{TARGET}").split()
    check_green(world, line)
    return Landed(
        code=answer.code,
        jobs={job["key"]: (job["status"], job["reason"], job["merged"]) for job in answer.document["jobs"]},
        tree=world.repo.tip(f"{TARGET}^{{tree}}"),
        landings=len(line),
        admin=sorted(path.name for path in (world.repo.path / ".git").glob("worktrees/*")),
        checkout=world.repo.checkout_state(),
        locks=[path.name for path in (*world.git_locks(), *world.job_locks())],
    )


def check_green(world: World, line: list[str]) -> None:
    """MERGE-3: after each landing, commit by commit."""
    for commit in line:
        files = world.repo.git("ls-tree", "--name-only", commit).split()
        assert not [name for name in files if name.startswith("half-")]
        assert "<<<<" not in world.repo.git("show", f"{commit}:shared.txt", check=False)


def recover_and_compare(world: World, uninterrupted: Landed, *, look: bool = True) -> None:
    if not world.runs:
        return  # not even the plan was written
    (run,) = world.runs
    left = remains_of(world, run) if look else None
    answer = world.weft("recover", "--json")
    if answer.document == {"runs": []}:
        answer = world.weft("report", run, "--json")._replace(code=uninterrupted.code)
    found = landed(world, answer)
    assert found == uninterrupted._replace(checkout=world.checkout), answer.err + show(world, run)
    if left is not None:
        check_nothing_lost(world, left)
    check_nothing_paid_twice(world, run)
    check_no_process(run)


@pytest.fixture
def merging(tmp_path: Path) -> World:
    return make_world(tmp_path)


@pytest.fixture(scope="session")
def uninterrupted_merge(tmp_path_factory: pytest.TempPathFactory) -> Landed:
    world = make_world(tmp_path_factory.mktemp("merge"))
    found = landed(world, world.weft("run", *ISSUES, "--json", *MERGED))
    statuses = {key: (status, merged) for key, (status, _, merged) in found.jobs.items()}
    assert statuses == {
        "shop#1": ("passed", True),
        "shop#2": ("passed", True),
        "shop#3": ("passed", True),
        "shop#4": ("failed", False),
        "shop#5": ("parked", False),
    }
    assert found.landings == 3
    assert world.repo.git("show", f"{TARGET}:shared.txt") == "line of 1\nline of 2"
    assert found.locks == []
    return found


@BOTH
@pytest.mark.parametrize("event", SAMPLE)
def test_killed_around_some_events(merging: World, uninterrupted_merge: Landed, when: str, event: int) -> None:
    """Before the merge, during its gates, before and after the landing: no branch is merged twice, none is lost, the
    target is green after each landing (RECOVER-1, RECOVER-3)."""
    merging.run_dying(when, event, *MERGED)
    recover_and_compare(merging, uninterrupted_merge)


@pytest.mark.full
@BOTH
@pytest.mark.parametrize("event", OTHERS)
def test_killed_around_every_other_event(merging: World, uninterrupted_merge: Landed, when: str, event: int) -> None:
    """The same for all the others (RECOVER-5)."""
    merging.run_dying(when, event, *MERGED)
    recover_and_compare(merging, uninterrupted_merge)


def killed_in_git(world: World, uninterrupted: Landed, how: str, call: int) -> None:
    world.weft("run", *ISSUES, "--json", *MERGED, **world.with_killing_git(how, call))
    recover_and_compare(world, uninterrupted, look=how != "outlives")


@pytest.mark.parametrize(
    ("how", "call"), [("after", 22), ("after", 25), ("before", 27), ("outlives", 30), ("middle", 33)]
)
def test_killed_in_some_git_calls(merging: World, uninterrupted_merge: Landed, how: str, call: int) -> None:
    """Between a ref's update and its event too: what has landed has landed (RECOVER-2, RECOVER-5)."""
    killed_in_git(merging, uninterrupted_merge, how, call)


@pytest.mark.full
@pytest.mark.parametrize(("how", "call"), CALLS)
def test_killed_in_every_git_call(merging: World, uninterrupted_merge: Landed, how: str, call: int) -> None:
    """The same at each call that merging makes."""
    killed_in_git(merging, uninterrupted_merge, how, call)


@pytest.mark.parametrize(("first", "second"), [(60, 4), (75, 9)])
def test_killed_during_the_recovery_too(merging: World, uninterrupted_merge: Landed, first: int, second: int) -> None:
    """A recovery that is itself killed (RECOVER-1)."""
    merging.run_dying("after", first, *MERGED)
    merging.dying("before", second, "recover", "--json")
    recover_and_compare(merging, uninterrupted_merge)
