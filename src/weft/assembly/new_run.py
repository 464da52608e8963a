"""What a new run is called."""

from __future__ import annotations

import secrets

from weft.model.ids import RunId

_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"


def new_run_id() -> RunId:
    """Short enough to type, without letters that look alike."""
    return RunId("r-" + "".join(secrets.choice(_ALPHABET) for _ in range(8)))
