"""Parts of a pipeline, and pipelines without retries."""

from __future__ import annotations

import pytest

from weft.errors import UsageError
from weft.model.phase import NEVER, Pipeline
from weft.pipelines.select import select_phases, without_retries


def test_a_part_keeps_the_pipelines_order(default: Pipeline) -> None:
    """`--phases exec,spec` runs spec first, each once (RUN-7)."""
    part = select_phases(default, ["exec", "spec", "exec"])
    assert [phase.name for phase in part.phases] == ["spec", "exec"]
    assert part.whole


@pytest.mark.parametrize("names", [["exec"], ["qa"], ["exec", "qa"], ["spec", "qa"]])
def test_a_part_with_something_missing_before_it_is_not_whole(default: Pipeline, names: list[str]) -> None:
    """Such a job goes on from its branch as it is (RUN-7)."""
    assert not select_phases(default, names).whole


def test_what_cannot_be_sent_back_is_final(default: Pipeline) -> None:
    """qa without exec has nowhere to send its findings (RUN-8)."""
    assert select_phases(default, ["qa"]).phases[0].mends is None
    assert select_phases(default, ["exec", "qa"]).phases[1].mends == "exec"


def test_unknown_phases_are_all_named(default: Pipeline) -> None:
    """With the likely one (RUN-7)."""
    with pytest.raises(UsageError, match=r"Invalid --phases value: `excec`: did you mean `exec`.*`x`: known") as caught:
        select_phases(default, ["excec", "spec", "x"])
    assert caught.value.exit_code == 2
    with pytest.raises(UsageError, match="at least one phase"):
        select_phases(default, [])


def test_no_retry_leaves_the_quality_loop(default: Pipeline) -> None:
    """`--no-retry` turns retries off and nothing else (RUN-9)."""
    bare = without_retries(default)
    assert {phase.retry for phase in bare.phases} == {NEVER}
    assert (bare.quality_loop, bare.phases[2].mends) == (3, "exec")
