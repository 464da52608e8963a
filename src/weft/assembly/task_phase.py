"""A task's options as a phase, and who does it: what an agent cannot do is said before anything starts (AGENT-2)."""

from __future__ import annotations

import msgspec

from weft.agents.options import Reach, reach_of
from weft.agents.registry import agent_problems, phase_problems, phase_warnings
from weft.model.phase import ApprovalMode, Phase, Pipeline, SandboxMode, StepKind
from weft.model.plan import AgentSpec
from weft.model.spelling import closest
from weft.pipelines.duration import parse_duration
from weft.settings.agents import agent_specs
from weft.settings.load import Loaded
from weft.sources.task_fields import Entry, Isolation

PHASE = "task"


def task_phase(entry: Entry, timeout: float, stall: float) -> Phase:
    """`timeout`: for a task that does not say its own."""
    return Phase(
        name=PHASE,
        steps=(StepKind.SESSION,),
        agent=entry.backend,
        model=entry.model,
        timeout=timeout if entry.timeout is None else seconds(entry.timeout),
        stall=stall,
        approval_mode=entry.approval_mode or ApprovalMode.DEFAULT,
        sandbox_mode=entry.sandbox_mode or SandboxMode.DEFAULT,
        max_turns=entry.max_turns,
        max_tokens=entry.max_tokens,
        system_prompt=entry.system_prompt,
        verbatim=True,
        writes=entry.isolation is Isolation.WORKTREE,
        must_change=False,
    )


def seconds(given: float | str) -> float:
    """ValueError for a duration that is none."""
    return parse_duration(given) if isinstance(given, str) else float(given)


def may_write(phase: Phase) -> bool:
    return reach_of(phase) is not Reach.READ


class Backends:
    """The agents that tasks may name, and those they do."""

    def __init__(self, loaded: Loaded) -> None:
        self._known = agent_specs(loaded.settings, loaded.folder)
        self._checked: dict[str, list[str]] = {}
        self.used: dict[str, AgentSpec] = {}

    @property
    def known(self) -> list[str]:
        return list(self._known)

    def spec(self, name: str) -> AgentSpec | None:
        return self._known.get(name)

    def use(self, name: str) -> str | None:
        """Why there can be no such agent in this plan; None where it can."""
        spec = self._known.get(name)
        if spec is None:
            near = closest(name, self._known)
            listed = ", ".join(f"`{one}`" for one in self._known)
            return f"one of {listed}, or a name under `[agents]`" + (f", did you mean `{near}`?" if near else "")
        self.used[name] = spec
        problems = self.problems(name)
        return f"an agent that can run: {'; '.join(problems)}" if problems else None

    def problems(self, name: str) -> list[str]:
        if name not in self._checked:
            self._checked[name] = agent_problems(self._known[name])
        return self._checked[name]

    def refusals(self, phase: Phase) -> list[str]:
        return phase_problems(self._known[phase.agent], phase)

    def cautions(self, phase: Phase) -> list[str]:
        return phase_warnings(self._known[phase.agent], phase)


class Pipelines:
    """One-phase pipelines, shared by tasks that ask for the same."""

    def __init__(self) -> None:
        self._made: dict[bytes, Pipeline] = {}

    @property
    def all(self) -> tuple[Pipeline, ...]:
        return tuple(self._made.values())

    def of(self, phase: Phase) -> str:
        same = msgspec.msgpack.encode(phase)
        if same not in self._made:
            self._made[same] = Pipeline(f"{phase.name}-{len(self._made) + 1}", (phase,))
        return self._made[same].name
