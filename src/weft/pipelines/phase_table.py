"""One phase, from its table in a pipeline or in settings. The same keys mean the same in both."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from weft.model.phase import NEVER, ApprovalMode, FailureClass, Phase, RetryPolicy, SandboxMode, StepKind
from weft.pipelines.suggest import alternatives
from weft.pipelines.table import Table, as_table

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


def read_phase(table: Table, templates: Mapping[str, str]) -> Phase:
    """A phase of a pipeline file."""
    name = table.text("name")
    if not _NAME.fullmatch(name):
        table.wrong("name", "must be a name of small letters, digits, `-` and `_`, such as `exec`")
    bare = Phase(name=name, steps=table.choices("steps", StepKind))
    if not bare.steps:
        table.wrong("steps", 'must be `["session"]`, `["gates"]` or `["gates", "session"]`')
    phase = msgspec.structs.replace(
        _tuned(bare, table, templates),
        writes=table.flag("writes", False),
        verdict=table.flag("verdict", False),
        mends=table.text("mends") or None,
    )
    table.finish()
    _check_sense(phase, table)
    return phase


def override_phase(
    phase: Phase, values: object, templates: Mapping[str, str], where: str, path: str
) -> tuple[Phase, list[str]]:
    """The phase with what a settings table (`[phases.exec]`) says otherwise, and what is wrong with that."""
    problems: list[str] = []
    table = as_table(values, where, path, problems)
    if table is None:
        return phase, problems
    changed = _tuned(phase, table, templates)
    table.finish()
    _check_sense(changed, table)
    return changed, problems


def _tuned(phase: Phase, table: Table, templates: Mapping[str, str]) -> Phase:
    """What both a pipeline and settings may say of a phase."""
    return msgspec.structs.replace(
        phase,
        agent=table.text("agent", phase.agent),
        model=table.text("model", phase.model or "") or None,
        prompt=_prompt(table, templates, phase.prompt),
        timeout=table.duration("timeout", phase.timeout),
        stall=table.duration("stall", phase.stall or 0.0, zero=True) if "stall" in table else phase.stall,
        checkpoint=_checkpoint(table, phase),
        retry=_retry(table, phase.retry),
        approval_mode=table.choice("approval_mode", ApprovalMode, phase.approval_mode),
        sandbox_mode=table.choice("sandbox_mode", SandboxMode, phase.sandbox_mode),
        max_turns=table.integer("max_turns", phase.max_turns or 0, least=1) or None,
        max_tokens=table.integer("max_tokens", phase.max_tokens or 0, least=1) or None,
        system_prompt=table.text("system_prompt", phase.system_prompt or "") or None,
    )


def _checkpoint(table: Table, phase: Phase) -> float | None:
    return (
        table.duration("checkpoint", phase.checkpoint or 0.0, zero=True) if "checkpoint" in table else phase.checkpoint
    )


def _prompt(table: Table, templates: Mapping[str, str], default: str) -> str:
    """The template's text: by its name, or written out, which shows by a newline or a variable."""
    prompt = table.text("prompt")
    if not prompt:
        return default
    if prompt in templates:
        return templates[prompt]
    if "\n" in prompt or "{{" in prompt:
        return prompt
    table.wrong("prompt", f"there is no such template; {alternatives(prompt, templates)}")
    return default


def _retry(table: Table, default: RetryPolicy) -> RetryPolicy:
    """`false`, or a table of classes, times, backoff and factor."""
    value = table.raw("retry")
    if value is None:
        return default
    if value is False:
        return NEVER
    if not isinstance(value, dict):
        table.wrong(
            "retry", 'must be `false` or a table such as `{ classes = ["transient"], times = 1, backoff = "5s" }`'
        )
        return default
    return _policy(Table(value, table.where, f"{table.path}.retry", table.problems))


def _policy(table: Table) -> RetryPolicy:
    policy = RetryPolicy(
        classes=table.choices("classes", FailureClass),
        times=table.integer("times", 1),
        backoff=table.duration("backoff", 5.0, zero=True),
        factor=table.number("factor", 2.0, least=1),
    )
    table.finish()
    if "classes" not in table:
        table.wrong("classes", 'must say which failures, such as `["transient", "rate-limited"]`')
    if FailureClass.WORK in policy.classes:
        table.wrong(
            "classes", "`work` is never tried again as if it were transient; hint: that is what `quality_loop` is for"
        )
    return policy


def _check_sense(phase: Phase, table: Table) -> None:
    """What contradicts itself."""
    if StepKind.SESSION not in phase.steps:
        for key in sorted({"agent", "model", "prompt", "verdict", "writes"} & set(table.values)):
            table.wrong(key, "means nothing in a phase without a session")
    elif not phase.prompt and "prompt" not in table:
        table.wrong("prompt", f"a session needs a prompt in phase `{phase.name}`")
    if phase.writes and phase.sandbox_mode is SandboxMode.READ_ONLY:
        key = "sandbox_mode" if "sandbox_mode" in table else "writes"
        table.wrong(key, f"phase `{phase.name}` writes, so its sandbox cannot be `read-only`")
