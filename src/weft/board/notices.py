"""Which events people are told of while they are away, and in which words. The same from the same journal."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from weft.board.board import Board
from weft.board.document import Document
from weft.board.durations import duration_text
from weft.board.inbox import UNMET, job_item
from weft.board.times import iso_time
from weft.board.views import JobView
from weft.model.events import AnyEvent, JobEnded, QuotaSeen, RunEnded
from weft.model.ids import RunId
from weft.model.job import JobStatus
from weft.model.notice import NoticeKind

VERSION = 1


class Notice(msgspec.Struct, frozen=True):
    number: int
    """From 1, of all there are of the run: the same after a crash."""
    kind: NoticeKind
    document: Document
    """What is sent, as JSON."""


class Notices:
    """Folds one run's events."""

    def __init__(self, run: RunId) -> None:
        self._board = Board(run)
        self._count = 0
        self._short = False
        self._quotas: set[tuple[str, float | None]] = set()

    def take(self, event: AnyEvent) -> list[Notice]:
        self._board.apply(event)
        found = []
        for kind, text, more in self._found(event):
            self._count += 1
            found.append(Notice(self._count, kind, self._document(event, kind, text, more)))
        return found

    def _found(self, event: AnyEvent) -> Iterator[tuple[NoticeKind, str, Document]]:
        match event:
            case RunEnded():
                yield NoticeKind.RUN_ENDED, self._summary(), self._outcome()
            case JobEnded(job=key) if key in self._board.view.jobs:
                yield from self._job_ended(self._board.view.jobs[key])
            case QuotaSeen(account=account, resets_at=resets_at) if (account, resets_at) not in self._quotas:
                self._quotas.add((account, resets_at))
                until = None if resets_at is None else iso_time(resets_at)
                text = f"the quota of {account} is used up" + (f" until {until}" if until else "")
                yield NoticeKind.OUT_OF_QUOTA, text, {"account": account, "resets_at": until, "reason": event.why}

    def _job_ended(self, job: JobView) -> Iterator[tuple[NoticeKind, str, Document]]:
        view = self._board.view
        if job.status is JobStatus.PARKED and not self._follows(job):
            item = job_item(view, job)
            told = {"job": _job(job), "actions": list(item.actions)}
            yield NoticeKind.JOB_PARKED, f"{job.key} is parked: {job.explained or 'no reason given'}", told
        if job.short_of is not None and not self._short:
            self._short = True
            text = f"{job.key} was not run: {job.explained or job.short_of.value}"
            yield NoticeKind.OUT_OF_BUDGET, text, {"job": _job(job)}

    def _follows(self, job: JobView) -> bool:
        """Whether it is parked because of another of the run, which was told of."""
        need = (job.reason or "").removeprefix(UNMET)
        return need != job.reason and any(str(key) == need for key in self._board.view.jobs)

    def _document(self, event: AnyEvent, kind: NoticeKind, text: str, more: Document) -> Document:
        view = self._board.view
        head = {"version": VERSION, "id": f"{view.run}-{self._count}", "event": kind.value, "at": iso_time(event.at)}
        about = {"run": view.run, "mode": view.mode.value, "command": view.command}
        return head | {"text": f"weft {view.run}: {text}"} | about | {"repos": sorted(view.repos.values())} | more

    def _summary(self) -> str:
        view = self._board.view
        counts = ", ".join(f"{count} {status.value.replace('_', ' ')}" for status, count in view.counts.items())
        return f"{view.status.value} after {duration_text(view.duration())}" + (f": {counts}" if counts else "")

    def _outcome(self) -> Document:
        view = self._board.view
        code = view.exit_code
        stuck = [_job(job) for job in view.jobs.values() if job.status in (JobStatus.PARKED, JobStatus.FAILED)]
        return {
            "status": view.status.value,
            "exit_code": None if code is None else int(code),
            "duration_seconds": round(view.duration(), 3),
            "counts": {status.value: count for status, count in view.counts.items()},
            "cost_usd": view.usage.cost_usd,
            "jobs": stuck,
        }


def _job(job: JobView) -> Document:
    return {
        "key": str(job.key),
        "title": job.job.title,
        "status": job.status.value if job.status else None,
        "reason": job.explained,
        "branch": job.branch,
    }
