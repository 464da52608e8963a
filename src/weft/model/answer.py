"""What a person says about a job that is stuck."""

from __future__ import annotations

import msgspec

from weft.model.ids import RunId


class Answer(msgspec.Struct, frozen=True):
    """Kept until the job has passed."""

    path: str
    """The repo's."""
    job: str
    """Its id there."""
    run: RunId
    """The run that it was stuck in."""
    at: float
    text: str
