"""What issues depend on, over several repos (WAVE-3)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from weft.assembly.jobs import JobMaker
from weft.assembly.needs import Counts, Share, make_jobs
from weft.errors import UsageError
from weft.model.events import JobEnded
from weft.model.ids import JobKey, RunId
from weft.model.job import Job, JobStatus
from weft.ports import Issue, JobEnd


class _Source:
    def __init__(self, *issues: Issue) -> None:
        self._issues = {issue.id: issue for issue in issues}

    def find(self, ident: str) -> Issue | None:
        return self._issues.get(ident)

    def all(self) -> list[Issue]:
        return list(self._issues.values())


class _History:
    def __init__(self, ends: Mapping[str, JobEnded]) -> None:
        self._ends = ends

    def last_job_end(self, repo_path: str, key: JobKey) -> JobEnd | None:
        event = self._ends.get(str(key))
        return JobEnd(RunId("r-1"), event, ("exec",)) if event else None


class _Branches:
    def __init__(self, branches: set[str], within: set[tuple[str, str]]) -> None:
        self._branches = branches
        self._within = within

    async def branch_exists(self, name: str) -> bool:
        return name in self._branches

    async def branch_tip(self, branch: str) -> str | None:
        return "c1" if branch in self._branches else None

    async def has_commit(self, commit: str, within: str) -> bool:
        return (commit, within) in self._within


def _issue(ident: str, *needs: str, closed: bool = False) -> Issue:
    return Issue(id=ident, title=f"Thing {ident}", body="", origin=f"{ident}.md", depends_on=needs, closed=closed)


def _maker(
    repo: str,
    *known: Issue,
    full_name: str | None = None,
    ends: Mapping[str, JobEnded] | None = None,
    branches: set[str] | None = None,
    within: set[tuple[str, str]] | None = None,
    lands_on: str | None = None,
) -> JobMaker:
    return JobMaker(
        repo=repo,
        repo_path=f"/{repo}",
        base="base",
        branch_prefix="weft/",
        phases=("exec",),
        source=_Source(*known),
        history=_History(ends or {}),
        branches=_Branches(branches or set(), within or set()),
        full_name=full_name,
        lands_on=lands_on,
    )


def _passed(repo: str, ident: str, *, landed: str | None = None) -> JobEnded:
    key = JobKey(repo, ident)
    branch = f"weft/{ident}-thing-{ident}"
    return JobEnded(at=0.0, job=key, status=JobStatus.PASSED, branch=branch, commit="c1", landed=landed)


def _made(shares: list[Share], counts: Counts = Counts.CLOSED) -> dict[str, Job]:
    return {str(job.key): job for job in asyncio.run(make_jobs(shares, counts))}


@pytest.mark.parametrize("written", ["ui#2", "acme/ui#2", "acme/front#2"])
def test_a_repo_by_its_names(written: str) -> None:
    """A repo is meant by its name, by `owner/name`, and by the name it has at its host."""
    ui = _issue("2")
    shares = [Share(_maker("api"), [_issue("1", written)]), Share(_maker("ui", ui, full_name="acme/front"), [ui])]
    assert _made(shares)["api#1"].depends_on == (JobKey("ui", "2"),)


def test_a_number_alone_is_of_the_same_repo() -> None:
    """api#1 waits for api#2, though there is a ui#2; its own repo's name in front says the same."""
    issues = [_issue("1", "2", "api#2"), _issue("2")]
    shares = [Share(_maker("api", *issues), issues), Share(_maker("ui"), [_issue("2")])]
    assert _made(shares)["api#1"].depends_on == (JobKey("api", "2"),)


def test_outside_a_wave_only_closed_issues_are_done() -> None:
    """WAVE-3: what an earlier run passed is not enough; what is not done is named."""
    ui = _maker("ui", _issue("3"), _issue("4", closed=True), ends={"ui#3": _passed("ui", "3")})
    made = _made([Share(_maker("api"), [_issue("1", "ui#3"), _issue("2", "ui#4")]), Share(ui, [])])
    assert made["api#1"].unmet == "ui#3 (not part of this wave and not closed)"
    assert (made["api#2"].unmet, made["api#2"].depends_on) == (None, ())


def test_outside_a_run_what_passed_before_is_built_on() -> None:
    """RUN-4: a run of one repo starts from the branch of an earlier run's work; another repo's issue is unmet."""
    maker = _maker("api", _issue("3"), ends={"api#3": _passed("api", "3")}, branches={"weft/3-thing-3"})
    made = _made([Share(maker, [_issue("1", "3"), _issue("2", "ui#4")])], Counts.FINISHED)
    assert made["api#1"].builds_on == ("weft/3-thing-3",)
    assert made["api#2"].unmet == "ui#4 (another repo's, not part of this run)"


def test_all_unknown_ones_are_named() -> None:
    """WAVE-3: issues that are not there, in any repo, and repos that are not part of the wave."""
    shares = [
        Share(_maker("api"), [_issue("1", "9"), _issue("2", "ui#8")]),
        Share(_maker("ui"), [_issue("3", "acme/shop#7")]),
    ]
    with pytest.raises(UsageError) as error:
        _made(shares)
    assert error.value.message == (
        "Unknown dependencies: api#1 depends on #9 (1.md); api#2 depends on ui#8 (2.md); "
        "ui#3 depends on acme/shop#7 (3.md)"
    )


@pytest.mark.parametrize(
    ("within", "finished"),
    [
        (("l1", "refs/heads/weft/m1"), True),
        (("l1", "base"), True),
        (("c1", "refs/heads/weft/m1"), False),
        (None, False),
    ],
)
def test_what_is_to_land_is_finished_once_it_has(within: tuple[str, str] | None, finished: bool) -> None:
    """A job of a wave is finished when the commit that landed it is on the target or in the base."""
    issue = _issue("1")
    maker = _maker(
        "api",
        issue,
        ends={"api#1": _passed("api", "1", landed="l1")},
        branches={"weft/1-thing-1"},
        within={within} if within else set(),
        lands_on="weft/m1",
    )
    assert (_made([Share(maker, [issue])])["api#1"].finished is not None) is finished
