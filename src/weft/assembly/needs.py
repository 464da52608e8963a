"""What issues depend on, in one repo or several: part of the plan, done before, unmet, or unknown (WAVE-3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from types import MappingProxyType

import msgspec

from weft.assembly.jobs import JobMaker, Needs
from weft.errors import UsageError
from weft.model.ids import JobKey
from weft.model.job import Job
from weft.ports import Issue


class Counts(Enum):
    """Which dependencies outside the plan count as done."""

    FINISHED = "finished"
    """Those whose issue is closed, and those that an earlier run has finished."""
    CLOSED = "closed"
    """Those whose issue is closed."""


class Share(msgspec.Struct, frozen=True):
    """The part of a plan that is one repo's."""

    maker: JobMaker
    issues: Sequence[Issue]


async def make_jobs(
    shares: Sequence[Share], counts: Counts = Counts.FINISHED, foreign: Mapping[str, bool] = MappingProxyType({})
) -> list[Job]:
    """In the issues' order; raises UsageError that names every reference to an unknown issue. `foreign`: of references
    to other repos, where that is known, whether they are closed.
    """
    scope = _Scope(shares, counts, foreign)
    scope.refuse_unknown()
    return [
        await share.maker.job(issue, await scope.needs(share.maker, issue))
        for share in shares
        for issue in share.issues
    ]


class _Scope:
    """All repos of a plan, and the issues of each that are part of it."""

    def __init__(self, shares: Sequence[Share], counts: Counts, foreign: Mapping[str, bool]) -> None:
        self._foreign = foreign
        self._shares = shares
        self._counts = counts
        self._makers = {share.maker.repo: share.maker for share in shares}
        self._full_names = {share.maker.full_name: share.maker for share in shares if share.maker.full_name}
        self._inside = {share.maker.key(issue) for share in shares for issue in share.issues}

    def refuse_unknown(self) -> None:
        unknown = [
            f"{self._label(share.maker.key(issue))} depends on {_shown(need)} ({issue.origin})"
            for share in self._shares
            for issue, need in self._unknown(share)
        ]
        if unknown:
            raise UsageError(f"Unknown dependencies: {'; '.join(unknown)}", hint="mend `depends_on` in these issues")

    def _unknown(self, share: Share) -> Iterator[tuple[Issue, str]]:
        for issue in share.issues:
            for need in issue.depends_on:
                key = self._key(need, share.maker)
                if key is None:
                    if self._counts is Counts.CLOSED and need not in self._foreign:  # nobody can tell
                        yield issue, need
                elif key not in self._inside and self._issue(key) is None:
                    yield issue, self._label(key) if key.repo != share.maker.repo else key.id

    async def needs(self, maker: JobMaker, issue: Issue) -> Needs:
        keys = {need: self._key(need, maker) for need in issue.depends_on}
        inside = [key for key in keys.values() if key in self._inside]
        branches: list[str] = []
        for need, key in keys.items():
            if key is None and self._foreign.get(need):
                continue
            if key is None:
                return Needs(_unique(inside), unmet=f"{need} (another repo's, not part of this run)")
            if key in self._inside:
                continue
            done = await self._branches(key, maker)
            if done is None:
                return Needs(_unique(inside), unmet=f"{self._label(key)} ({_NOT_DONE[self._counts]})")
            branches += done
        return Needs(_unique(inside), tuple(branches))

    async def _branches(self, key: JobKey, for_maker: JobMaker) -> list[str] | None:
        """The branches with what is done outside the plan, none where it is in the base; None where it is not done."""
        owner = self._makers[key.repo]
        if self._counts is Counts.FINISHED:
            passed = await owner.passed(key)
            if passed is not None:
                return [passed.branch] if passed.branch and owner is for_maker else []
        issue = self._issue(key)
        return [] if issue is not None and issue.closed else None

    def _key(self, need: str, maker: JobMaker) -> JobKey | None:
        """`shop#7` in the repo `shop` is its own `7`; None: of a repo that is not part of the plan."""
        repo, mark, ident = need.rpartition("#")
        if not mark:
            return JobKey(maker.repo, ident)
        owner = self._makers.get(repo) or self._full_names.get(repo) or self._makers.get(repo.rpartition("/")[2])
        return JobKey(owner.repo, ident) if owner else None

    def _issue(self, key: JobKey) -> Issue | None:
        return self._makers[key.repo].source.find(key.id)

    def _label(self, key: JobKey) -> str:
        return f"#{key.id}" if self._counts is Counts.FINISHED else str(key)


_NOT_DONE = {
    Counts.FINISHED: "not part of this run and not finished before",
    Counts.CLOSED: "not part of this wave and not closed",
}


def _unique(keys: Sequence[JobKey | None]) -> tuple[JobKey, ...]:
    return tuple(dict.fromkeys(key for key in keys if key is not None))


def _shown(need: str) -> str:
    return need if "#" in need else f"#{need}"
