"""Plans of every shape, for Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from weft.model.budget import Budget, Estimate, Limit, Scope, Unit
from weft.model.governing import MachinePlan
from weft.model.ids import JobKey
from weft.model.job import Job
from weft.model.phase import FailureClass, Phase, Pipeline, RetryPolicy, StepKind
from weft.model.plan import AgentKind, AgentSpec, Lane, LockRule, Mode, Order, Plan, StopRule

REPOS = ("api", "shop", "web")
AGENTS = ("one", "one", "two", "free")
TOUCHES = ((), (), ("src/a.py",), ("src/b.py",), ("src/*.py", "docs"), ("**",))
STEPS = ((StepKind.SESSION,), (StepKind.GATES,), (StepKind.GATES, StepKind.SESSION))

retry_policies = st.builds(
    RetryPolicy,
    classes=st.sampled_from([(), (FailureClass.TRANSIENT,), tuple(FailureClass), tuple(FailureClass)]),
    times=st.sampled_from([2, 1, 0]),
    backoff=st.sampled_from([0.0, 1.0, 5.0]),
)


limits = st.builds(
    Limit,
    scope=st.sampled_from(Scope),
    unit=st.sampled_from(Unit),
    amount=st.sampled_from([0.0, 1.0, 4.0, 20.0, 100.0]),
    key=st.just("budget.x"),
    agent=st.sampled_from([None, None, "one"]),
    before=st.sampled_from([0.0, 0.0, 3.0]),
    begins=st.sampled_from([(), (900.0, 1020.0, 1100.0)]),
)
budgets = st.builds(
    Budget,
    limits=st.lists(limits, min_size=1, max_size=3).map(tuple),
    session_tokens=st.sampled_from([None, None, 2.0]),
    session_usd=st.sampled_from([None, 1.0]),
    estimates=st.sampled_from([(), (Estimate("one", "p0", 3.0, 0.5),)]),
    unpriced=st.sampled_from([(), ("free",)]),
)
"""Small ones, so that most are used up."""


@st.composite
def phases(draw: DrawFn, index: int) -> Phase:
    steps = draw(st.sampled_from(STEPS))
    return Phase(
        name=f"p{index}",
        steps=steps,
        agent=draw(st.sampled_from(AGENTS)),
        retry=draw(retry_policies),
        writes=draw(st.booleans()),
        checkpoint=1800.0,
        resumes=draw(st.booleans()),
        verdict=StepKind.SESSION in steps and draw(st.booleans()),
        mends=draw(st.sampled_from([None, *(f"p{earlier}" for earlier in range(index + 1))])),
    )


@st.composite
def pipelines(draw: DrawFn, name: str) -> Pipeline:
    length = draw(st.integers(1, 3))
    return Pipeline(name, tuple(draw(phases(index)) for index in range(length)), quality_loop=draw(st.integers(0, 2)))


@st.composite
def jobs(draw: DrawFn, index: int, earlier: list[JobKey]) -> Job:
    repo = draw(st.sampled_from(REPOS))
    key = JobKey(repo, str(index))
    needs = draw(st.lists(st.sampled_from(earlier), max_size=2)) if earlier else []
    others = [key for key in earlier if key not in needs]
    outside = draw(st.integers(0, 9))
    return Job(
        key=key,
        title="t",
        lane=repo,
        branch=draw(st.sampled_from([f"weft/{index}", f"weft/{index}", None])),
        pipeline=draw(st.sampled_from(["first", "second"])),
        depends_on=tuple(needs),
        after=tuple(draw(st.lists(st.sampled_from(others), max_size=1)) if others else []),
        finished="finished before" if outside == 0 else None,
        unmet="other#7" if outside == 1 else None,
        priority=draw(st.integers(0, 1)),
        estimate=draw(st.sampled_from([1.0, 2.0, 7.0])),
        touches=draw(st.sampled_from(TOUCHES)),
    )


@st.composite
def plans(draw: DrawFn) -> Plan:
    made: list[Job] = []
    for index in range(draw(st.sampled_from([0, 1, 2, 3, 4, 6, 8, 9]))):
        made.append(draw(jobs(index, [job.key for job in made])))
    return Plan(
        mode=Mode.WAVE,
        jobs=tuple(draw(st.permutations(made))),
        cap=draw(st.integers(1, 5)),
        lanes=(Lane("api", draw(st.integers(1, 3))), Lane("shop", 9)),
        pipelines=(draw(pipelines("first")), draw(pipelines("second"))),
        agents=tuple(AgentSpec(name, AgentKind.COMMAND, max_sessions=limit) for name, limit in _limits(draw)),
        stop=draw(st.sampled_from(list(StopRule))),
        order=draw(st.sampled_from(list(Order))),
        lock=draw(st.sampled_from(list(LockRule))),
        machine=MachinePlan(min_free_memory=50),
        budget=draw(st.one_of(st.none(), budgets)),
    )


def _limits(draw: DrawFn) -> list[tuple[str, int | None]]:
    """One agent with little room, one with more, one without a limit."""
    return [("one", 1), ("two", draw(st.integers(1, 3))), ("free", None)]
