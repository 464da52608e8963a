"""The same prompt for several agents as a plan, and a judge who ranks their answers (TASK-13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from weft.agents.options import located
from weft.assembly.plan_tasks import TasksAsk, TasksPlan, parallel_plan
from weft.assembly.task_phase import Backends, Pipelines
from weft.errors import UsageError
from weft.model.ids import JobKey
from weft.model.job import Job, TaskFacts
from weft.model.phase import Phase, SandboxMode, StepKind
from weft.model.plan import AgentKind, AgentSpec, Plan
from weft.pipelines.ranking import MOST
from weft.settings.load import Loaded
from weft.sources.task_fields import TaskEntry
from weft.sources.task_file import Checked

JUDGE = "judge"
PROMPT = """Several agents were given the same prompt. Rank their answers, the best one first.
Judge by whether an answer is right, complete and useful; not by its length, its tone or the order here.

{{issue}}

{{answers}}

End with nothing but this JSON object, in which `ranking` holds each letter exactly once:

```json
{"ranking": ["B", "A"], "reason": "in one or two sentences why the first is the best"}
```
"""


async def compare_plan(ask: TasksAsk, checked: Checked[TaskEntry], judge: str | None) -> TasksPlan:
    """All at once. `checked`: a task for each agent, with the same prompt."""
    made = await parallel_plan(ask, checked)
    plan = msgspec.structs.replace(made.plan, cap=max(1, len(made.plan.jobs)))
    if judge is not None:
        plan = _judged(plan, _judge(ask.loaded, judge, len(plan.jobs)))
    return msgspec.structs.replace(made, plan=plan)


def _judge(loaded: Loaded, name: str, answers: int) -> AgentSpec:
    backends = Backends(loaded)
    wrong = backends.use(name)
    if wrong:
        raise UsageError(f"judge = `{name}`: must be {wrong}")
    if not 2 <= answers <= MOST:
        raise UsageError(f"A judge ranks from 2 to {MOST} answers, and {answers} agents are asked")
    return backends.used[name]


def _judged(plan: Plan, judge: AgentSpec) -> Plan:
    """The judge waits for all, however they end, and ranks those that gave an answer."""
    first = plan.jobs[0]
    asked = plan.pipeline(first.pipeline).phases[0]
    phase = Phase(
        name=JUDGE,
        steps=(StepKind.SESSION,),
        agent=judge.name,
        prompt=PROMPT,
        timeout=asked.timeout,
        stall=asked.stall,
        sandbox_mode=SandboxMode.READ_ONLY,
        ranks=True,
    )
    pipelines = Pipelines()
    named = pipelines.of(phase)
    answered = tuple(job.key for job in plan.jobs)
    key = JobKey(first.key.repo, _free_name([job.key.id for job in plan.jobs]))
    job = Job(
        key=key,
        title="Rank the answers",
        lane=str(key),
        body=first.body,
        pipeline=named,
        after=answered,
        takes=answered,
        origin=first.origin,
        task=TaskFacts(-1, name=JUDGE),
    )
    return msgspec.structs.replace(
        plan,
        jobs=(*plan.jobs, job),
        pipelines=(*plan.pipelines, *pipelines.all),
        agents=(*plan.agents, *([] if judge in plan.agents else [judge])),
    )


def _free_name(taken: Sequence[str]) -> str:
    name = JUDGE
    while name in taken:
        name += "-"
    return name


def all_backends(loaded: Loaded, variables: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Every agent that could run here, and the names of those that could not."""
    backends = Backends(loaded)
    can = [name for name in backends.known if not backends.problems(name) and _is_there(backends.spec(name), variables)]
    return can, [name for name in backends.known if name not in can]


def _is_there(spec: AgentSpec | None, variables: Mapping[str, str]) -> bool:
    return spec is not None and (spec.kind is AgentKind.SCRIPTED or located(spec, variables) is not None)
