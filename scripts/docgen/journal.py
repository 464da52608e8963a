"""Events, states and statuses, from the model's own docstrings."""

from __future__ import annotations

from enum import Enum
from types import ModuleType
from typing import get_args

import msgspec
from scripts.docgen.markdown import code, member_docs, own_docstring, table

from weft.board import states as board_states
from weft.board.states import RunStatus
from weft.model import events as event_module
from weft.model import job, outcome, phase
from weft.model.events import Event, Input, Note
from weft.scheduler import merge_queue, states
from weft.scheduler.merge_queue import ItemState
from weft.scheduler.states import ALLOWED, HOLDS_LANE, HOLDS_SLOT, JobState


def events() -> str:
    """Inputs first, then notes."""
    parts = [
        ("Inputs: what the scheduler steps on", get_args(Input)),
        ("Notes: what it concluded, never stepped on", get_args(Note)),
    ]
    return "\n\n".join(f"### {title}\n\n{_events(kinds)}" for title, kinds in parts)


def _events(kinds: tuple[type[Event], ...]) -> str:
    rows = [(code(_tag(kind)), _capital(own_docstring(kind).removeprefix("Note: ")), _fields(kind)) for kind in kinds]
    return table(("event", "what happened", "fields"), rows)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _tag(kind: type[Event]) -> str:
    return str(kind.__struct_config__.tag)


def _fields(kind: type[Event]) -> str:
    docs = member_docs(event_module)
    own = [field.name for field in msgspec.structs.fields(kind) if field.name != "at"]
    return "; ".join(code(name) + _told(docs.get((kind.__name__, name))) for name in own)


def _told(text: str | None) -> str:
    return f": {text.rstrip('.')[:1].lower()}{text.rstrip('.')[1:]}" if text else ""


def job_states() -> str:
    docs = member_docs(states)
    rows = [
        (
            code(state.name.lower()),
            docs["JobState", state.name].replace("For ", "Waits for ", 1),
            ", ".join(code(each.name.lower()) for each in JobState if each in ALLOWED[state]),
            _holds(state),
        )
        for state in JobState
    ]
    return table(("state", "meaning", "may become", "holds"), rows)


def _holds(state: JobState) -> str:
    return ", ".join(
        name for name, holders in (("a slot", HOLDS_SLOT), ("its place in the lane", HOLDS_LANE)) if state in holders
    )


def queue_states() -> str:
    docs = member_docs(merge_queue)
    rows = [
        (code(state.name.lower()), docs["ItemState", state.name].replace("For ", "Waits for ", 1))
        for state in ItemState
    ]
    return table(("state", "meaning"), rows)


def job_statuses() -> str:
    return _members(job.JobStatus, job)


def phase_statuses() -> str:
    return _members(outcome.PhaseStatus, outcome)


def failure_classes() -> str:
    return _members(phase.FailureClass, phase)


def run_statuses() -> str:
    """The class's docstring says them all at once."""
    missing = [each.value for each in RunStatus if f"`{each.value}`" not in own_docstring(RunStatus)]
    assert not missing, f"{board_states.__name__}.RunStatus does not say what {missing} means"
    return " ".join(own_docstring(RunStatus).split("\n\n", 1)[1].split())


def _members(kind: type[Enum], module: ModuleType) -> str:
    docs = member_docs(module)
    rows = [(code(str(member.value)), docs[kind.__name__, member.name]) for member in kind]
    return table(("value", "meaning"), rows)
