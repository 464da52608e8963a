"""The hand-off of a wave, and how each of its repos stands (WAVE-11)."""

from __future__ import annotations

from weft.board.board import fold
from weft.board.handoff import checks_of, handoff
from weft.board.wave import repo_stands
from weft.model.events import (
    AnyEvent,
    GatesEnded,
    JobAdmitted,
    JobEnded,
    JobQueued,
    MergeFailed,
    MergeGated,
    RunEnded,
    RunStarted,
)
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job, JobStatus
from weft.model.outcome import GateResult
from weft.model.phase import Phase, Pipeline, StepKind
from weft.model.plan import Gate, MergeInto, Mode, Plan, Repo

RUN = RunId("r-1")
API1, API2, API3, UI1 = JobKey("api", "1"), JobKey("api", "2"), JobKey("api", "p-x"), JobKey("ui", "1")


def _plan() -> Plan:
    repos = (
        Repo("api", "/api", base="a" * 40, gates=(Gate("test", "make test"),), merge=MergeInto("weft/m1")),
        Repo("ui", "/ui", base="b" * 40, merge=MergeInto("weft/m1")),
    )
    titles = {API1: "Sum | of *all*", API2: "Two", API3: "Three", UI1: "Page"}
    jobs = tuple(Job(key=key, title=title, lane=key.repo) for key, title in titles.items())
    pipeline = Pipeline(name="default", phases=(Phase("exec", (StepKind.SESSION,), agent="mine"),))
    return Plan(mode=Mode.WAVE, jobs=jobs, cap=2, repos=repos, pipelines=(pipeline,), name="M1")


def _gate(*, passed: bool = True) -> GateResult:
    return GateResult("test", "make test", passed, 0 if passed else 1, 2.0)


def _until_queued() -> list[AnyEvent]:
    return [
        RunStarted(at=0.0, plan=_plan()),
        JobAdmitted(at=1.0, job=API1),
        GatesEnded(at=2.0, attempt=AttemptId(RUN, API1, "qa", 1), results=(_gate(passed=False),)),
        JobQueued(at=3.0, job=API1, target="weft/m1", ahead=0),
    ]


def _to_the_end() -> list[AnyEvent]:
    merge = AttemptId(RUN, API1, "merge", 1)
    return [
        *_until_queued(),
        MergeGated(at=4.0, attempt=merge, commit="m1", results=(_gate(),), flaky=("test",)),
        JobEnded(at=5.0, job=API1, status=JobStatus.PASSED, branch="weft/1", commit="c1", landed="m1"),
        JobEnded(at=6.0, job=API2, status=JobStatus.PARKED, reason="does not merge", detail="conflict in a.py"),
        JobEnded(at=6.0, job=API3, status=JobStatus.SKIPPED, reason="finished before in run r-0"),
        JobEnded(at=6.0, job=UI1, status=JobStatus.PARKED, reason="unmet dependency api#2"),
        RunEnded(at=7.0),
    ]


def _text(events: list[AnyEvent], repo: str) -> str:
    plan = _plan()
    return handoff(plan, plan.repo(repo), fold(RUN, events), checks_of(events))


def test_a_repo_with_something_landed() -> None:
    """Its own issues with `Issue: #N`, prompts without, the checks of the merged tree, and what is not in it."""
    assert _text(_to_the_end(), "api") == (
        "# M1: api\n\n"
        "Branch `weft/m1`, made from `aaaaaaaaaaaa` by run `r-1`: 2 of 3 issues are done.\n\n"
        "## Issues\n\n"
        "- Issue: #1 Sum \\| of \\*all\\*\n"
        "- Prompt: p-x Three (skipped: finished before in run r-0)\n\n"
        "## Checks\n\n"
        "- test: `make test`\n\n"
        "| issue | result |\n| --- | --- |\n"
        "| #1 | test passed (2s) on the merged tree; flaky: test |\n\n"
        "## Not in it\n\n"
        "- #2 Two: parked: does not merge: conflict in a.py\n"
    )


def test_a_repo_with_nothing_landed() -> None:
    """It says so; without gates it says that nothing was checked. Another repo's issues are not its own."""
    text = _text(_to_the_end(), "ui")
    assert "## Issues\n\nNone.\n" in text
    assert "No gates are set in this repo" in text
    assert "- #1 Page: parked: unmet dependency api#2\n" in text
    assert "Sum" not in text


def test_how_repos_stand() -> None:
    """Queued while it waits for its landing, then done and merged; parked and skipped ones are told apart; the rest is
    left.
    """
    plan = _plan()
    api, ui = repo_stands(plan, fold(RUN, _until_queued()))
    assert (api.total, api.queued, api.active, api.done, api.left) == (3, 1, 0, 0, 2)
    assert (ui.total, ui.left) == (1, 1)
    api, ui = repo_stands(plan, fold(RUN, _to_the_end()))
    assert (api.done, api.merged, api.queued, api.parked, api.left) == (2, 1, 0, 1, 0)
    assert (ui.parked, ui.failed, ui.left) == (1, 0, 0)


def test_a_job_sent_back_is_no_longer_queued() -> None:
    """What does not merge leaves the queue for its author."""
    events = [*_until_queued(), MergeFailed(at=4.0, job=API1, reason="conflict", repair=1)]
    api, _ = repo_stands(_plan(), fold(RUN, events))
    assert (api.queued, api.left) == (0, 3)
