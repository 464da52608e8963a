"""The pipeline of a run: the built-in one or the user's own, tuned by settings and flags."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from weft.assembly.builtin import builtin_pipeline, own_pipeline, read_text
from weft.errors import SettingsError
from weft.model.phase import Phase, Pipeline, RetryPolicy
from weft.model.spelling import closest
from weft.pipelines.parse import parse_pipeline, pipeline_problems
from weft.pipelines.select import select_phases, without_retries
from weft.settings.load import Loaded
from weft.settings.problem import origin_of, problems_error, wrong_key, wrong_value
from weft.settings.sections import PhaseSettings, Retry, Settings


def run_pipeline(loaded: Loaded, phases: Sequence[str] | None, agent: str) -> Pipeline:
    """`phases`: the part asked for; `agent`: who does what no setting assigns."""
    settings = loaded.settings
    pipeline = _base(loaded)
    pipeline = with_limits(_tuned(pipeline, loaded, agent), settings)
    if ("run", "quality_loop") in loaded.origins:  # else the pipeline's own number counts
        pipeline = msgspec.structs.replace(pipeline, quality_loop=settings.run.quality_loop)
    problems = pipeline_problems(pipeline, _where(loaded))
    if problems:
        raise SettingsError("\n".join(problems))
    if not settings.run.retry:
        pipeline = without_retries(pipeline)
    if phases is None:
        _refuse_unknown_part(pipeline, loaded)
    wanted = phases if phases is not None else settings.run.phases
    return pipeline if wanted is None else select_phases(pipeline, wanted)


def _base(loaded: Loaded) -> Pipeline:
    named = loaded.settings.run.pipeline
    if named is None:
        return parse_pipeline(*builtin_pipeline(), "the built-in pipeline")
    file = loaded.folder / named
    return parse_pipeline(*own_pipeline(file), str(file))


def _where(loaded: Loaded) -> str:
    return str(loaded.file) if loaded.file else "settings"


def _tuned(pipeline: Pipeline, loaded: Loaded, agent: str) -> Pipeline:
    _refuse_unknown_phases(pipeline, loaded)
    said = loaded.settings.phases
    phases = tuple(
        tuned_phase(phase, said.get(phase.name, PhaseSettings()), loaded.folder, agent) for phase in pipeline.phases
    )
    return msgspec.structs.replace(pipeline, phases=phases)


def _refuse_unknown_phases(pipeline: Pipeline, loaded: Loaded) -> None:
    known = [phase.name for phase in pipeline.phases]
    wrong = [name for name in loaded.settings.phases if name not in known]
    problems = [
        wrong_key(origin_of(loaded.origins, ("phases", name)), ("phases", name), closest(name, known), known)
        for name in wrong
    ]
    if problems:
        raise problems_error(problems, hint=f"the pipeline has {', '.join(known)}")


def _refuse_unknown_part(pipeline: Pipeline, loaded: Loaded) -> None:
    """`run.phases` as a setting: the message names where it was set."""
    known = [phase.name for phase in pipeline.phases]
    named = loaded.settings.run.phases
    if named is not None and (not named or not set(named) <= set(known)):
        key = ("run", "phases")
        allowed = f"a list of {', '.join(f'`{name}`' for name in known)}"
        raise SettingsError(wrong_value(origin_of(loaded.origins, key), key, list(named), allowed))


def tuned_phase(phase: Phase, said: PhaseSettings, folder: Path, agent: str) -> Phase:
    return msgspec.structs.replace(
        phase,
        agent=said.agent or phase.agent or agent,
        model=said.model or phase.model,
        timeout=said.timeout if said.timeout is not None else phase.timeout,
        stall=said.stall if said.stall is not None else phase.stall,
        checkpoint=said.checkpoint if said.checkpoint is not None else phase.checkpoint,
        retry=_tuned_retry(phase.retry, said.retry),
        approval_mode=said.approval_mode or phase.approval_mode,
        sandbox_mode=said.sandbox_mode or phase.sandbox_mode,
        max_turns=said.max_turns or phase.max_turns,
        max_tokens=said.max_tokens or phase.max_tokens,
        system_prompt=said.system_prompt or phase.system_prompt,
        prompt=_prompt(said.prompt, folder) or phase.prompt,
    )


def _tuned_retry(policy: RetryPolicy, said: Retry) -> RetryPolicy:
    return RetryPolicy(
        classes=policy.classes if said.classes is None else said.classes,
        times=policy.times if said.times is None else said.times,
        backoff=policy.backoff if said.backoff is None else said.backoff,
        factor=policy.factor if said.factor is None else said.factor,
    )


def _prompt(said: str | None, folder: Path) -> str | None:
    """A file beside the settings where it is one word that ends like one, else the template itself."""
    if said is not None and said.endswith(".md") and "\n" not in said:
        return read_text(folder / said)
    return said


def with_limits(pipeline: Pipeline, settings: Settings) -> Pipeline:
    """What settings say of sessions counts for phases of which nothing else is said."""
    phases = [_limited(phase, settings) for phase in pipeline.phases]
    return msgspec.structs.replace(pipeline, phases=tuple(phases))


def _limited(phase: Phase, settings: Settings) -> Phase:
    run = settings.run
    return msgspec.structs.replace(
        phase,
        stall=run.stall if phase.stall is None else phase.stall,
        checkpoint=run.checkpoint if phase.checkpoint is None else phase.checkpoint,
        resumes=run.resume_sessions,
        recovers=settings.recover.resume_sessions,
    )


def agents_used(pipeline: Pipeline) -> list[str]:
    return list(dict.fromkeys(phase.agent for phase in pipeline.phases if phase.agent))


def default_agent(settings: Settings) -> str:
    """The one that does what nothing else assigns; empty if settings name none."""
    return settings.agent or ""
