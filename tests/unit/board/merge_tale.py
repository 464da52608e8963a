"""Made-up runs with a merge queue, told event by event."""

from __future__ import annotations

import msgspec
from tests.unit.board.events_builder import RUN, START, Tale, job, key, plan

from weft.model.events import (
    JobEnded,
    JobQueued,
    LandingEnded,
    MergeFailed,
    MergeGated,
    MergeMade,
    RunStarted,
    TargetGated,
    TargetRed,
)
from weft.model.ids import AttemptId
from weft.model.job import JobStatus
from weft.model.outcome import Failure, GateResult
from weft.model.plan import MergeInto, Repo

TARGET = "weft/m1"
BASE = "b" * 40
TIP = "tip"


def gate(*, passed: bool = True) -> GateResult:
    return GateResult("test", "make test", passed, 0 if passed else 1, 3.0)


class MergeTale(Tale):
    """Each job is told as `#1`; its builds are numbered from 1."""

    def __init__(self, *names: str) -> None:
        super().__init__(*names)
        repos = sorted({key(name).repo for name in names})
        merging = tuple(Repo(repo, f"/code/{repo}", BASE, merge=MergeInto(TARGET)) for repo in repos)
        whole = msgspec.structs.replace(plan(*map(job, names)), repos=merging)
        self.events = [RunStarted(at=START, plan=whole)]
        self.builds: dict[str, int] = {}

    def queued(self, name: str, ahead: int = 0) -> MergeTale:
        """Through its phases, and into the queue."""
        self.admit(name).phase(name, "exec", 10)
        self.add(JobQueued(at=self.now, job=key(name), target=TARGET, ahead=ahead))
        return self

    def build(self, name: str, phase: str = "merge") -> AttemptId:
        return AttemptId(RUN, key(name), phase, self.builds.get(name, 0))

    def made(self, name: str, conflict: str | None = None) -> MergeTale:
        self.builds[name] = self.builds.get(name, 0) + 1
        commit = None if conflict else self.commit(name)
        conflicts = (conflict,) if conflict else ()
        self.add(MergeMade(at=self.now, attempt=self.build(name), onto=TIP, commit=commit, conflicts=conflicts))
        return self

    def gated(
        self, name: str, *, passed: bool = True, flaky: tuple[str, ...] = (), failure: Failure | None = None
    ) -> MergeTale:
        results = () if failure else (gate(passed=passed),)
        self.wait(3).add(
            MergeGated(
                at=self.now,
                attempt=self.build(name),
                commit=self.commit(name),
                results=results,
                flaky=flaky,
                failure=failure,
            )
        )
        return self

    def landed(self, name: str) -> MergeTale:
        """And ended with it."""
        commit = self.commit(name)
        self.add(LandingEnded(at=self.now, attempt=self.build(name), commit=commit, landed=True, tip=commit))
        branch = f"weft/{key(name).id}-title"
        self.close(name)
        self.add(JobEnded(at=self.now, job=key(name), status=JobStatus.PASSED, branch=branch, landed=commit))
        return self

    def sent_back(self, name: str, repair: int, reason: str = f"conflict with {TARGET} in a.py") -> MergeTale:
        self.add(MergeFailed(at=self.now, job=key(name), reason=reason, repair=repair))
        return self

    def target_red(self, name: str) -> MergeTale:
        attempt = msgspec.structs.replace(self.build(name), phase="target")
        self.add(TargetGated(at=self.now, attempt=attempt, commit=TIP, results=(gate(passed=False),)))
        self.add(TargetRed(at=self.now, repo="shop", target=TARGET, commit=TIP, reason="gate test failed"))
        return self

    def commit(self, name: str) -> str:
        return f"c-{key(name).id}-{self.builds.get(name, 0)}"
