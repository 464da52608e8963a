"""What a run's end comes to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.board.exit_codes import exit_code
from weft.errors import ExitCode
from weft.model.job import JobStatus as S
from weft.model.plan import Mode

STATUSES = st.lists(st.sampled_from(S))


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        ([], 0),
        ([S.PASSED], 0),
        ([S.PASSED, S.SKIPPED], 0),
        ([S.SKIPPED], 0),
        ([S.PASSED, S.LOCKED], 0),
        ([S.SKIPPED, S.LOCKED], 0),
        ([S.LOCKED, S.LOCKED], 3),
        ([S.LOCKED, S.NOT_RUN], 3),
        ([S.PASSED, S.LOCKED, S.NOT_RUN], 1),
        ([S.NOT_RUN], 1),
        ([S.PASSED, S.FAILED], 1),
        ([S.LOCKED, S.FAILED], 1),
        ([S.PARKED], 1),
        ([S.CANCELLED], 1),
        ([S.NO_CHANGE], 1),
        ([S.FAILED, S.NOT_RUN], 1),
    ],
)
def test_table(statuses: list[S], code: int) -> None:
    """RUN-16: failures give 1; locked ones count only if all were locked; skipped is a success."""
    assert exit_code(Mode.PARALLEL, statuses) == code


def test_no_change_is_a_success_of_projects_only() -> None:
    """An issue asked for a change; a project's maintenance may find nothing to do."""
    assert exit_code(Mode.PROJECTS, [S.NO_CHANGE, S.PASSED]) is ExitCode.OK
    assert all(exit_code(mode, [S.NO_CHANGE]) == 1 for mode in Mode if mode is not Mode.PROJECTS)


@given(st.sampled_from(Mode), STATUSES)
def test_signals_go_first(mode: Mode, statuses: list[S]) -> None:
    """RUN-14: 130 for Ctrl-C and 143 for SIGTERM, whatever the jobs came to."""
    assert exit_code(mode, statuses, 2) is ExitCode.INTERRUPTED
    assert exit_code(mode, statuses, 15) is ExitCode.TERMINATED


@given(st.sampled_from(Mode), STATUSES)
def test_how_often_does_not_matter(mode: Mode, statuses: list[S]) -> None:
    """Counts by status are enough, so a plan of any size has its exit code at once."""
    assert exit_code(mode, statuses) is exit_code(mode, set(statuses))


@pytest.mark.parametrize(
    ("statuses", "code"),
    [([], 4), ([S.PASSED], 4), ([S.NOT_RUN], 4), ([S.LOCKED], 4), ([S.PASSED, S.FAILED], 1), ([S.PARKED], 1)],
)
def test_for_want_of_a_budget(statuses: list[S], code: int) -> None:
    """BUDGET-2: 4 when nothing else failed; a signal still goes before it."""
    assert exit_code(Mode.PARALLEL, statuses, short=True) == code
    assert exit_code(Mode.PARALLEL, statuses, 2, short=True) is ExitCode.INTERRUPTED
