"""A pipeline from TOML text: everything wrong with it is said at once, before anything runs (RUN-7)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from weft.errors import SettingsError
from weft.model.phase import Phase, Pipeline, StepKind
from weft.pipelines.phase_table import read_phase
from weft.pipelines.prompts import check_prompts
from weft.pipelines.suggest import alternatives
from weft.pipelines.table import Table, as_table


def parse_pipeline(toml_text: str, templates: Mapping[str, str], where: str) -> Pipeline:
    """`templates`: prompt templates by the name that phases give; `where`: the file, for messages."""
    try:
        values = tomllib.loads(toml_text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"{where}: not valid TOML: {error}") from error
    problems: list[str] = []
    table = Table(values, where, "", problems)
    pipeline = Pipeline(
        name=table.text("name"),
        phases=_phases(table, templates),
        quality_loop=table.integer("quality_loop", 3),
    )
    table.finish()
    if not pipeline.name:
        table.wrong("name", "a pipeline needs a name")
    problems += pipeline_problems(pipeline, where)
    if problems:
        raise SettingsError("\n".join(problems))
    return pipeline


def pipeline_problems(pipeline: Pipeline, where: str) -> list[str]:
    """What is wrong between its phases, and in their prompts; for use after settings changed some."""
    problems: list[str] = []
    names: list[str] = []
    for phase in pipeline.phases:
        if phase.name in names:
            problems.append(f"{where}: phase `{phase.name}` is there twice")
        problems += _mending(phase, pipeline.phases[: len(names)], where)
        names.append(phase.name)
    return problems + check_prompts(pipeline, where)


def _phases(table: Table, templates: Mapping[str, str]) -> tuple[Phase, ...]:
    listed = table.raw("phases")
    if not isinstance(listed, list) or not listed:
        table.wrong("phases", "must be a list of at least one `[[phases]]` table")
        return ()
    tables = [as_table(values, table.where, f"phases[{n}]", table.problems) for n, values in enumerate(listed)]
    return tuple(read_phase(one, templates) for one in tables if one is not None)


def _mending(phase: Phase, before: tuple[Phase, ...], where: str) -> list[str]:
    """`mends` names an earlier phase that writes; and only what can find fault can send work back."""
    if phase.mends is None:
        return []
    writers = [earlier.name for earlier in before if earlier.writes]
    problems = []
    if phase.mends not in writers:
        said = alternatives(phase.mends, writers)
        problems.append(
            f"{where}: `mends` of phase `{phase.name}` is `{phase.mends}`: no earlier phase that writes; {said}"
        )
    if not phase.verdict and StepKind.GATES not in phase.steps:
        problems.append(
            f"{where}: phase `{phase.name}` has `mends` but neither gates nor a verdict that could find fault"
        )
    return problems
