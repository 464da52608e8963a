"""The pipeline of maintenance tasks, one for each agent that does some."""

from __future__ import annotations

import msgspec

from weft.assembly.builtin import builtin_file, builtin_pipeline
from weft.assembly.pipeline import default_agent, tuned_phase, with_limits
from weft.model.phase import Pipeline
from weft.pipelines.parse import parse_pipeline
from weft.pipelines.select import without_retries
from weft.settings.load import Loaded
from weft.settings.sections import PhaseSettings

FILE = "task.toml"


def project_pipeline(loaded: Loaded, backend: str | None) -> Pipeline:
    """`backend`: who does all of it; None: as `[phases]` and `agent` say."""
    settings = loaded.settings
    _, templates = builtin_pipeline()
    pipeline = parse_pipeline(builtin_file(FILE), templates, "the built-in pipeline of tasks")
    phases = []
    for phase in pipeline.phases:
        said = settings.phases.get(phase.name, PhaseSettings())
        if backend is not None:
            said = msgspec.structs.replace(said, agent=backend)
        phases.append(tuned_phase(phase, said, loaded.folder, default_agent(settings)))
    name = pipeline.name if backend is None else f"{pipeline.name}-{backend}"
    loops = settings.run.quality_loop if ("run", "quality_loop") in loaded.origins else pipeline.quality_loop
    pipeline = Pipeline(name, tuple(phases), quality_loop=loops)
    pipeline = with_limits(pipeline, settings)
    return pipeline if settings.run.retry else without_retries(pipeline)
