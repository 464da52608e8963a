"""A part of a pipeline: `--phases spec,exec` (RUN-7)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from weft.errors import UsageError
from weft.model.phase import NEVER, Phase, Pipeline
from weft.pipelines.suggest import alternatives


def select_phases(pipeline: Pipeline, names: Sequence[str]) -> Pipeline:
    """The pipeline with these phases alone, in its own order; not `whole` when one before them is left out."""
    known = [phase.name for phase in pipeline.phases]
    wrong = [name for name in names if name not in known]
    if wrong or not names:
        said = "; ".join(f"`{name}`: {alternatives(name, known)}" for name in wrong)
        raise UsageError(f"Invalid --phases value: {said or 'at least one phase must be named'}")
    kept = [phase for phase in pipeline.phases if phase.name in names]
    last = pipeline.index(kept[-1].name)
    return Pipeline(
        name=pipeline.name,
        phases=tuple(_without_lost_mends(phase, names) for phase in kept),
        quality_loop=pipeline.quality_loop,
        whole=pipeline.whole and len(kept) == last + 1,
    )


def _without_lost_mends(phase: Phase, names: Sequence[str]) -> Phase:
    """With the phase it would go back to left out, what it finds is final."""
    return phase if phase.mends in names else msgspec.structs.replace(phase, mends=None)


def without_retries(pipeline: Pipeline) -> Pipeline:
    """`--no-retry`: no attempt is made again because it failed; the quality loop stays (RUN-9)."""
    phases = tuple(msgspec.structs.replace(phase, retry=NEVER) for phase in pipeline.phases)
    return msgspec.structs.replace(pipeline, phases=phases)
