"""What an exit status alone says, and how the end of a transcript becomes a message."""

from __future__ import annotations

import signal

from weft.model.outcome import Failure
from weft.model.phase import FailureClass
from weft.pipelines.fence import clean_text

TRANSIENT_STATUS = 75
"""EX_TEMPFAIL of sysexits.h: try again later."""

_CRASHES = frozenset({signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGSYS})
_LAST_LINES = 12
_LONGEST_MESSAGE = 2000
_LONGEST_TEXT = 64 * 1024


def ending_failure(exit_status: int, said: str) -> Failure | None:
    """Why a process with this exit status failed, in its own last words; None for 0."""
    if exit_status == 0:
        return None
    if exit_status < 0:
        return _by_signal(-exit_status, said)
    kind = FailureClass.TRANSIENT if exit_status == TRANSIENT_STATUS else FailureClass.WORK
    return Failure(kind, last_words(said) or f"ended with exit status {exit_status} and said nothing")


def _by_signal(number: int, said: str) -> Failure:
    kind = FailureClass.CRASHED if number in _CRASHES else FailureClass.KILLED
    words = last_words(said)
    return Failure(
        kind,
        f"{'crashed' if number in _CRASHES else 'was killed'} by {_name(number)}" + (f": {words}" if words else ""),
    )


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def last_words(text: str) -> str:
    """The last lines, for a message."""
    lines = [line.rstrip() for line in clean_text(text[-_LONGEST_TEXT:]).splitlines() if line.strip()]
    return "\n".join(lines[-_LAST_LINES:])[-_LONGEST_MESSAGE:].strip()


def last_part(text: str) -> str:
    """As much of the end as later phases are given."""
    return text[-_LONGEST_TEXT:]


def without_json(tail: str) -> str:
    """The lines that are no events: what people can read, standard error for the most part."""
    lines = tail.splitlines()
    if lines and lines[0].endswith("}"):
        del lines[0]  # a tail may begin in the middle of an event line
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("{"))
