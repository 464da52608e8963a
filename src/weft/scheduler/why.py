"""Why a job is not running: read off the scheduler's own state, never guessed."""

from __future__ import annotations

from weft.model.ids import JobKey
from weft.scheduler.jobrun import JobRun
from weft.scheduler.merge_queue import ItemState
from weft.scheduler.quota import closed_text
from weft.scheduler.spending import why_waiting
from weft.scheduler.state import State
from weft.scheduler.states import HOLDS_LANE, HOLDS_SLOT, JobState


def why(state: State, key: JobKey) -> str:
    """One sentence about where the job stands and what it waits for."""
    job = state.job(key)
    match job.state:
        case JobState.WAITING:
            return f"waits for {_unmet(state, job)}"
        case JobState.READY:
            return _why_ready(state, job)
        case JobState.RETURNING:
            return f"goes on as soon as there is a slot: {_why_no_slot(state)}"
        case JobState.BACKOFF:
            return _why_backing_off(state, job)
        case JobState.AGENT_FULL:
            return _why_full(state, job)
        case JobState.BUDGET:
            return why_waiting(state, job)
        case JobState.PREPARING:
            return "its workspace is being made"
        case JobState.GATES:
            return f"is running: the gates of phase {job.phase.name}, attempt {job.number}"
        case JobState.SESSION:
            return f"is running: phase {job.phase.name}, attempt {job.number}"
        case JobState.QUEUED:
            return _why_queued(state, job)
        case JobState.PUBLISHING:
            return "passed: its branch is being pushed and its pull request made"
        case JobState.CLOSING:
            return "is ending: its workspace is being put away"
        case JobState.ENDED:
            return _why_ended(job)


def _why_full(state: State, job: JobRun) -> str:
    agent = state.agents[job.agent]
    if agent.account.full:
        allowed = f"after a burst of refusals {agent.account.throttle} at once, one more each quiet minute"
        return f"waits for a session of account `{agent.account.name}` to end ({allowed})"
    return f"waits for a session of agent `{job.agent}` to end (max_sessions = {agent.limit})"


def _why_backing_off(state: State, job: JobRun) -> str:
    agent = state.agents.get(job.agent)
    if agent is not None and agent.account.closed_until is not None:
        return f"waits with phase {job.phase.name} for a reset: {closed_text(agent.account)}"
    return f"tries phase {job.phase.name} again at its retry time"


def _why_queued(state: State, job: JobRun) -> str:
    queue = state.queues[job.key.repo]
    item = job.item
    assert item is not None
    place = f"place {queue.place(item) + 1} of {len(queue.items)} in the merge queue of {queue.into.target}"
    if queue.stuck is not None:
        return f"{place}, which holds: {queue.stuck}"
    if queue.held:
        return f"{place}, which is held (`weft queue release` lifts it)"
    return f"{place}: {_ITEM_WORDS[item.state]}"


_ITEM_WORDS = {
    ItemState.WAITING: "waits for its turn to be merged and tested",
    ItemState.MERGING: "is being merged onto those ahead",
    ItemState.TESTING: "the gates run on the merged tree",
    ItemState.PASSED: "is green, and lands when those ahead have",
    ItemState.LANDING: "the target is being moved to it",
    ItemState.REFUSED: "does not go with those ahead; goes back to its author if they land",
    ItemState.CHECKING: "is red when merged; the target alone is being checked",
}


def _why_ended(job: JobRun) -> str:
    assert job.ending is not None
    reason = f": {job.ending.reason}" if job.ending.reason else ""
    return f"has ended: {job.ending.status.value}{reason}"


def _why_ready(state: State, job: JobRun) -> str:
    lane = job.lane
    if lane.used >= lane.width:
        held = ", ".join(str(o.key) for o in state.jobs.values() if o.lane is lane and o.state in HOLDS_LANE)
        return f"waits for its lane `{lane.name}` (width {lane.width}), held by {held}"
    if met := state.apart.set_aside_for(job):
        return f"waits because it touches {met[0]}, which {met[1]} works on"
    if state.in_flight >= state.effective_cap:
        return f"waits for a slot: {_why_no_slot(state)}"
    return "is next: it starts with the next step"


def _why_no_slot(state: State) -> str:
    if state.stopped_by is not None:
        return "the run is being stopped"
    if state.paused:
        return "the run is paused (`weft resume` lifts it)"
    holders = ", ".join(str(job.key) for job in state.jobs.values() if job.state in HOLDS_SLOT and job.has_slot)
    if state.governor_cap is not None and state.governor_cap < state.cap:
        return f"the governor allows {state.governor_cap} ({state.governor_why}), taken by {holders or 'none'}"
    return f"the cap is {state.cap}, taken by {holders}"


def _unmet(state: State, job: JobRun) -> str:
    """Its dependencies that have not ended, and its lock where that is not answered yet."""
    needs = [state.jobs[key] for key in job.job.waits_for]
    waited_for = [f"{need.key} ({need.state.name.lower()})" for need in needs if need.status is None]
    return ", ".join([*waited_for, *(["its lock"] if job.awaits_lock else [])])
