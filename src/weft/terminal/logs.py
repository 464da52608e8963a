"""Lines of `weft logs` and of `--json-stream`: one event, one line."""

from __future__ import annotations

import msgspec

from weft.board.log import event_document, log_entry
from weft.board.times import iso_time
from weft.model.events import AnyEvent
from weft.model.ids import RunId
from weft.terminal.plain import plain


def log_line(event: AnyEvent) -> str:
    """`2026-03-26T14:05:09.120Z shop#101 exec attempt 1: started by claude`; the run's own entries have `-`."""
    entry = log_entry(event)
    return f"{iso_time(entry.at)} {plain(str(entry.job)) if entry.job else '-'} {plain(entry.text)}"


def event_line(run: RunId, event: AnyEvent, seq: int | None = None) -> str:
    """The event as one line of JSON, without its newline."""
    return msgspec.json.encode(event_document(run, event, seq)).decode()
