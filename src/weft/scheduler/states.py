"""The states of a job and the moves between them."""

from __future__ import annotations

from enum import Enum, auto


class JobState(Enum):
    WAITING = auto()
    """For jobs it depends on."""
    READY = auto()
    """For a slot and its lane."""
    PREPARING = auto()
    """Its workspace is being made or brought back."""
    GATES = auto()
    """The repo's gates are being run in its workspace."""
    SESSION = auto()
    """An agent is at work in its workspace."""
    AGENT_FULL = auto()
    """For a session of its agent to end: the agent's `max_sessions` is reached."""
    BUDGET = auto()
    """For sessions under way to give back what they do not use of a limit; it keeps its slot."""
    BACKOFF = auto()
    """For the time of its retry; without a slot, but in its lane."""
    RETURNING = auto()
    """For a slot, to go on with what it began; goes before new jobs."""
    QUEUED = auto()
    """In the merge queue, until its branch has landed; without a slot, but in its lane."""
    PUBLISHING = auto()
    """Its pull request is being made; without a slot, but in its lane."""
    CLOSING = auto()
    """Its workspace is being saved and put away."""
    ENDED = auto()
    """How it ended is its status."""

    __hash__ = object.__hash__
    """Members are unique: Enum's own hash, written in Python, would cost more than all else at every move."""


S = JobState

ALLOWED: dict[JobState, frozenset[JobState]] = {
    S.WAITING: frozenset({S.READY, S.ENDED}),
    S.READY: frozenset({S.PREPARING, S.ENDED}),
    S.PREPARING: frozenset({S.PUBLISHING, S.BACKOFF, S.GATES, S.SESSION, S.AGENT_FULL, S.BUDGET, S.CLOSING, S.ENDED}),
    S.GATES: frozenset(
        {S.QUEUED, S.PUBLISHING, S.SESSION, S.AGENT_FULL, S.BUDGET, S.GATES, S.BACKOFF, S.PREPARING, S.CLOSING, S.ENDED}
    ),
    S.SESSION: frozenset(
        {S.QUEUED, S.PUBLISHING, S.GATES, S.SESSION, S.AGENT_FULL, S.BUDGET, S.BACKOFF, S.PREPARING, S.CLOSING, S.ENDED}
    ),
    S.AGENT_FULL: frozenset({S.AGENT_FULL, S.BUDGET, S.BACKOFF, S.SESSION, S.PREPARING, S.CLOSING, S.ENDED}),
    S.BUDGET: frozenset({S.BUDGET, S.AGENT_FULL, S.BACKOFF, S.SESSION, S.PREPARING, S.CLOSING, S.ENDED}),
    S.BACKOFF: frozenset({S.RETURNING, S.CLOSING, S.ENDED}),
    S.RETURNING: frozenset({S.PREPARING, S.CLOSING, S.ENDED}),
    S.QUEUED: frozenset({S.RETURNING, S.CLOSING, S.ENDED}),
    S.PUBLISHING: frozenset({S.CLOSING, S.ENDED}),
    S.CLOSING: frozenset({S.ENDED}),
    S.ENDED: frozenset({S.WAITING, S.READY}),
}

HOLDS_SLOT = frozenset({S.PREPARING, S.GATES, S.SESSION, S.AGENT_FULL, S.BUDGET, S.CLOSING})
HOLDS_LANE = HOLDS_SLOT | {S.BACKOFF, S.RETURNING, S.QUEUED, S.PUBLISHING}
