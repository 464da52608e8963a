"""The prompt of a session: the phase's template with the job, what earlier phases said and what was found wanting."""

from __future__ import annotations

from collections.abc import Sequence

from weft.model.job import Job
from weft.model.phase import Phase, Pipeline
from weft.model.plan import Gate
from weft.pipelines.answers import answered
from weft.pipelines.fence import as_data, clean_line, clean_text, fence
from weft.pipelines.going_on import continued, returned
from weft.pipelines.quoting import Quoted, fill
from weft.pipelines.ranking import answers_text
from weft.pipelines.template import Template, Value, check, render, variables

VARIABLES = ("job", "id", "title", "issue", "phase", "branch", "base", "changes", "gates", "findings")
"""What every prompt may use; besides, `outputs.<phase>` for each phase before it."""

_OUTPUT_PREFIX = "outputs."
_LONGEST_OUTPUT = 48_000
_LONGEST_FINDING = 12_000


def session_prompt(
    phase: Phase,
    job: Job,
    *,
    outputs: Sequence[tuple[str, str]] = (),
    findings: Sequence[str] = (),
    gates: Sequence[Gate] = (),
    branch: str = "",
    base: str = "",
    changes: str = "",
    quoted: Sequence[Quoted] = (),
    continues: str | None = None,
    answers: Sequence[str] = (),
) -> str:
    """What the agent is told. Empty where there is nothing: an output that no phase gave, findings on a first try."""
    if phase.verbatim:
        return (fill(job.body, quoted) if job.takes else job.body) + answered(answers)
    template = Template(f"prompt of phase `{phase.name}`", phase.prompt)
    values: dict[str, Value] = {
        "job": clean_line(str(job.key)),
        "id": clean_line(job.key.id),
        "title": clean_line(job.title),
        "issue": as_data(job.body, "The prompt they were given") if phase.ranks else _issue(job),
        "phase": phase.name,
        "branch": clean_line(branch),
        "base": clean_line(base),
        "changes": _changes(changes),
        "gates": _gates(gates),
        "findings": _findings(findings),
        "answers": answers_text(quoted) if phase.ranks else "",
    }
    prompt = render(template, values | _outputs(template, outputs)).strip() + "\n" + answered(answers)
    if continues is None:
        return prompt
    return prompt + continued(_changes(changes), _end_of(continues.strip(), _LONGEST_FINDING))


def resumed_prompt(
    findings: Sequence[str], gates: Sequence[Gate], *, interrupted: bool, answers: Sequence[str] = ()
) -> str:
    """What a session is told that is gone on with: it knows the rest."""
    return returned(_findings(findings), _gates(gates), interrupted=interrupted) + answered(answers)


def check_prompts(pipeline: Pipeline, where: str) -> list[str]:
    """Everything wrong with the prompts of a pipeline, each with its phase and line."""
    problems: list[str] = []
    for position, phase in enumerate(pipeline.phases):
        earlier = [_OUTPUT_PREFIX + before.name for before in pipeline.phases[:position]]
        template = Template(f"{where}: prompt of phase `{phase.name}`", phase.prompt)
        problems += check(template, [*VARIABLES, *earlier])
    return problems


def _changes(stat: str) -> str:
    return fence(stat, "What the branch changes so far, as `git diff --stat`") if stat.strip() else ""


def _gates(gates: Sequence[Gate]) -> list[str]:
    return [f"`{clean_line(gate.command, 1000)}` ({clean_line(gate.name)})" for gate in gates if gate.command]


def _issue(job: Job) -> str:
    text = f"# {clean_line(job.title)}\n\n{job.body}" if job.body.strip() else job.title
    return as_data(text, "The issue, as its author wrote it")


def _findings(findings: Sequence[str]) -> str:
    """Numbered, cut in the middle of none: the end of a long one holds the error."""
    told = [_end_of(clean_text(finding).strip(), _LONGEST_FINDING) for finding in findings if finding.strip()]
    numbered = "\n\n".join(f"{number}. {finding}" for number, finding in enumerate(told, 1))
    return fence(numbered, "The findings, between the fences") if numbered else ""


def _outputs(template: Template, outputs: Sequence[tuple[str, str]]) -> dict[str, Value]:
    """Every output the template asks for, also of phases that were left out of this run."""
    said = dict(outputs)
    asked = [name.removeprefix(_OUTPUT_PREFIX) for name in variables(template) if name.startswith(_OUTPUT_PREFIX)]
    return {_OUTPUT_PREFIX + name: _output(name, said.get(name, "")) for name in asked}


def _output(phase: str, text: str) -> str:
    text = _end_of(text.strip(), _LONGEST_OUTPUT)
    return fence(text, f"What the {phase} phase answered, between the fences") if text else ""


def _end_of(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"[the first {len(text) - limit} characters are left out]\n{text[-limit:]}"
