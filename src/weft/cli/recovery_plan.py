"""What an interrupted run left, and what going on with it would do, job by job."""

from __future__ import annotations

from weft.assembly.history import History
from weft.assembly.recover import ended_by_itself
from weft.board.document import Document
from weft.board.times import iso_time
from weft.engine.recovery import Reconstructed, reconstruct
from weft.ports import RunRecord
from weft.processes import find_marked
from weft.scheduler.jobrun import JobRun
from weft.scheduler.merge_queue import ItemState
from weft.scheduler.states import JobState
from weft.terminal.columns import columns


def recovery_text(history: History, record: RunRecord) -> str:
    document = recovery_document(history, record)
    lines = [f"Run {record.run}, started {document['started_at']}, last heard of {document['last_heard_of']}"]
    if document["processes"]:
        lines.append(f"  would end {len(document['processes'])} processes that it left")
    rows = [[job["key"], job["title"], job["then"]] for job in document["jobs"]]
    return "\n".join([*lines, *columns(rows, indent="  ")]) + "\n"


def recovery_document(history: History, record: RunRecord) -> Document:
    found = reconstruct(record.run, history.events(record.run))
    return {
        "run": record.run,
        "started_at": iso_time(record.started_at),
        "last_heard_of": iso_time(found.last_at),
        "processes": [pid for pid, _ in find_marked(record.run)],
        "jobs": [_job(history, found, job) for job in found.state.jobs.values()],
    }


def _job(history: History, found: Reconstructed, job: JobRun) -> Document:
    status = job.status.value if job.status else None
    return {"key": str(job.key), "title": job.job.title, "status": status, "then": _then(history, job)}


def _then(history: History, job: JobRun) -> str:
    match job.state:
        case JobState.ENDED:
            return f"has ended: {job.status.value.replace('_', ' ')}" if job.status else "has ended"
        case JobState.WAITING | JobState.READY:
            return "has not begun; starts in its turn"
        case JobState.PREPARING:
            return "its workspace is made again"
        case JobState.GATES:
            return f"the gates of {job.phase.name} run again"
        case JobState.SESSION if job.attempt is not None and ended_by_itself(history.layout, job.attempt):
            return f"the session of {job.phase.name} had ended: what it left is read"
        case JobState.SESSION:
            return f"the session of {job.phase.name} was under way: its work is saved, the phase starts again"
        case JobState.QUEUED if job.item is not None and job.item.state is ItemState.LANDING:
            return "was landing: git says whether it has, else it lands now"
        case JobState.QUEUED:
            return "is merged and tested again"
        case JobState.PUBLISHING:
            return "its pull request is looked for, else made"
        case JobState.CLOSING:
            return "its workspace is put away"
        case _:
            return f"goes on with {job.phase.name}"
