"""A world with a merge queue and a model of git: answers one outstanding command at a time, in any order."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import msgspec

from weft.model import commands as c
from weft.model import events as e
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job, JobStatus
from weft.model.outcome import Failure, GateResult, SessionOutcome
from weft.model.phase import FailureClass, Phase, Pipeline, StepKind
from weft.model.plan import AgentKind, AgentSpec, Lane, MergeInto, Mode, Plan, Repo
from weft.scheduler.invariants import check_invariants
from weft.scheduler.state import State
from weft.scheduler.step import replay, step

RUN = RunId("r-1")
BASE = "base"
RED = (GateResult("test", "make test", False, 1, 1.0, "red"),)
WORK = Pipeline("default", (Phase("exec", (StepKind.SESSION,), agent="mine", writes=True, must_change=False),))
Source = tuple[JobKey, int]
"""A job's branch in its nth version: each session of its author makes a new one."""


class Tree(msgspec.Struct, frozen=True):
    """A commit of the model: the branches it holds, in the order in which they were merged."""

    holds: tuple[str, ...] = ()


class Rules(msgspec.Struct, frozen=True):
    """What goes together. `conflicts` and `breaks` hold between jobs until one of them has this many versions."""

    conflicts: frozenset[frozenset[JobKey]] = frozenset()
    breaks: frozenset[frozenset[JobKey]] = frozenset()
    bad: frozenset[JobKey] = frozenset()
    """Red wherever they are merged, until mended."""
    mended_by: int = 1
    """The version from which a job goes with everything."""
    red_base: bool = False


class MergeWorld:
    """Drives `step` as the engine would, and checks after every step what must always hold."""

    def __init__(self, plan: Plan, rules: Rules) -> None:
        self.plan = plan
        self.rules = rules
        self.state = State(RUN)
        self.inputs: list[e.Input] = []
        self.outstanding: list[c.Command] = []
        self.now = 0.0
        self.trees: dict[str, Tree] = {BASE: Tree()}
        self.versions: dict[JobKey, int] = {}
        self.targets: dict[str, str | None] = {repo.name: None for repo in plan.repos}
        self.history: dict[str, list[str]] = {repo.name: [] for repo in plan.repos}
        """What each target pointed to, one after the other."""
        self.green: set[str] = set()
        """Commits that the gates were run on and passed."""
        self.queued: dict[str, list[JobKey]] = {repo.name: [] for repo in plan.repos}
        self.landed: dict[str, list[JobKey]] = {repo.name: [] for repo in plan.repos}
        self.ended: dict[JobKey, e.JobEnded] = {}
        self.gating_peak = 0
        self.send(e.RunStarted(at=0.0, plan=plan))

    # ------------------------------------------------------------ the outside

    def send(self, event: e.Input) -> None:
        self.now += 1.0
        event = msgspec.structs.replace(event, at=self.now)
        self.inputs.append(event)
        for command in step(self.state, event):
            self._take(command)
        check_invariants(self.state)

    def answer(self, index: int) -> None:
        command = self.outstanding.pop(index % len(self.outstanding))
        reply = self._ANSWERS[type(command)](self, command)
        self.send(reply)

    def crash(self, *, after_effects: bool) -> None:
        """The process dies; with `after_effects` what it was about to land has landed, unnoticed."""
        for command in self.outstanding:
            if after_effects and isinstance(command, c.Land):
                self._land(command)
        self.outstanding.clear()
        again, _ = replay(RUN, self.inputs)
        assert again.snapshot() == self.state.snapshot()
        self.state = again
        if not self.state.over:
            self.send(e.RunResumed(at=self.now))

    def move_target(self, repo: str) -> None:
        """Someone else commits to it."""
        tip = self.targets[repo]
        if tip is not None:
            moved = f"{tip}+"
            self.trees[moved] = self.trees[tip]
            self._point(repo, moved)

    # ------------------------------------------------------------ what comes back

    def _take(self, command: c.Command) -> None:
        match command:
            case c.WriteNote():
                self._note(command.note)
            case c.StopAttempt():
                assert any(getattr(one, "attempt", None) == command.attempt for one in self.outstanding)
            case c.WakeAt() | c.ReleaseLock() | c.StopPreparing():
                pass
            case c.Land():
                assert command.commit in self.green, f"{command.commit} was never seen green"
                self.outstanding.append(command)
            case _:
                self.outstanding.append(command)
        gating = [one for one in self.outstanding if isinstance(one, c.GateMerge) and self._is_current(one.attempt)]
        self.gating_peak = max(self.gating_peak, len(gating))

    def _is_current(self, attempt: AttemptId) -> bool:
        item = self.state.job(attempt.job).item
        return item is not None and item.attempt == attempt

    def _note(self, note: e.Note) -> None:
        match note:
            case e.JobQueued(job=job):
                self.queued[job.repo].append(job)
            case e.MergeFailed(job=job):
                self.queued[job.repo].remove(job)
            case e.JobEnded(job=job, status=status):
                self.ended[job] = note
                if status is not JobStatus.PASSED and job in self.queued[job.repo]:
                    self.queued[job.repo].remove(job)
            case _:
                pass

    def _ready(self, command: c.PrepareWorkspace) -> e.Input:
        head = command.head or BASE
        return e.WorkspaceReady(at=0.0, job=command.job, path="/w", base=BASE, head=head)

    def _session(self, command: c.RunSession) -> e.Input:
        key = command.attempt.job
        self.versions[key] = self.versions.get(key, -1) + 1
        outcome = SessionOutcome(commit=f"{key}@{self.versions[key]}", changed=True)
        return e.SessionEnded(at=0.0, attempt=command.attempt, outcome=outcome)

    def _closed(self, command: c.CloseWorkspace) -> e.Input:
        return e.WorkspaceClosed(at=0.0, job=command.job)

    def _read(self, command: c.ReadTarget) -> e.Input:
        if self.targets[command.repo] is None:
            self._point(command.repo, BASE)
        return e.TargetRead(at=0.0, repo=command.repo, tip=self.targets[command.repo])

    def _make(self, command: c.MakeMerge) -> e.Input:
        onto = self.trees[command.onto]
        clashing = [name for name in onto.holds if self._clash(command.source, name, self.rules.conflicts)]
        if clashing:
            return e.MergeMade(at=0.0, attempt=command.attempt, onto=command.onto, conflicts=("a.py",))
        commit = f"({command.onto}|{command.source})"
        self.trees[commit] = Tree((*onto.holds, command.source))
        return e.MergeMade(at=0.0, attempt=command.attempt, onto=command.onto, commit=commit)

    def _gate_merge(self, command: c.GateMerge) -> e.Input:
        if not self._is_current(command.attempt):
            stopped = Failure(FailureClass.KILLED, "stopped")
            return e.MergeGated(at=0.0, attempt=command.attempt, commit=command.commit, failure=stopped)
        return e.MergeGated(
            at=0.0, attempt=command.attempt, commit=command.commit, results=self._results(command.commit)
        )

    def _gate_target(self, command: c.GateTarget) -> e.Input:
        return e.TargetGated(
            at=0.0, attempt=command.attempt, commit=command.commit, results=self._results(command.commit)
        )

    def _results(self, commit: str) -> tuple[GateResult, ...]:
        if self.is_red(commit):
            return RED
        self.green.add(commit)
        return ()

    def _landing(self, command: c.Land) -> e.Input:
        landed = self._land(command)
        if landed:
            self.landed[command.attempt.job.repo].append(command.attempt.job)
        tip = self.targets[command.attempt.job.repo]
        return e.LandingEnded(at=0.0, attempt=command.attempt, commit=command.commit, landed=landed, tip=tip)

    def _land(self, command: c.Land) -> bool:
        """Compare and swap; what is there already has landed."""
        repo = command.attempt.job.repo
        if command.commit in self.history[repo]:
            return True
        if self.targets[repo] != command.expected:
            return False
        self._point(repo, command.commit)
        return True

    def _point(self, repo: str, commit: str) -> None:
        self.targets[repo] = commit
        self.history[repo].append(commit)

    # ------------------------------------------------------------ what goes together

    def is_red(self, commit: str) -> bool:
        holds = self.trees[commit].holds
        if self.rules.red_base or any(self._is_bad(source) for source in holds):
            return True
        return any(self._clash(one, other, self.rules.breaks) for one in holds for other in holds)

    def _is_bad(self, source: str) -> bool:
        key, version = self._parsed(source)
        return key in self.rules.bad and version < self.rules.mended_by

    def _clash(self, one: str, other: str, pairs: frozenset[frozenset[JobKey]]) -> bool:
        (a, va), (b, vb) = self._parsed(one), self._parsed(other)
        return frozenset({a, b}) in pairs and va < self.rules.mended_by and vb < self.rules.mended_by

    @staticmethod
    def _parsed(source: str) -> Source:
        name, _, version = source.rpartition("@")
        repo, _, ident = name.rpartition("#")
        return JobKey(repo, ident), int(version)

    _ANSWERS: ClassVar[dict[type[c.Command], Callable[..., e.Input]]] = {
        c.PrepareWorkspace: _ready,
        c.RunSession: _session,
        c.CloseWorkspace: _closed,
        c.ReadTarget: _read,
        c.MakeMerge: _make,
        c.GateMerge: _gate_merge,
        c.GateTarget: _gate_target,
        c.Land: _landing,
    }


def merge_plan(jobs: list[Job], *, cap: int, window: int = 4, repairs: int = 2, width: int = 0) -> Plan:
    """Each repo lands on a target of its own."""
    names = dict.fromkeys(job.key.repo for job in jobs)
    into = MergeInto("weft/m1", window=window, repairs=repairs)
    return Plan(
        mode=Mode.WAVE,
        jobs=tuple(jobs),
        cap=cap,
        repos=tuple(Repo(name, f"/{name}", merge=into) for name in names),
        lanes=tuple(Lane(name, width) for name in names),
        pipelines=(WORK,),
        agents=(AgentSpec("mine", AgentKind.COMMAND),),
    )
