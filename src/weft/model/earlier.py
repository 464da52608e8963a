"""An agent's session that can be gone on with."""

from __future__ import annotations

import msgspec

from weft.model.usage import NO_USAGE, Usage


class Earlier(msgspec.Struct, frozen=True):
    """A session to go on with."""

    session_id: str
    usage: Usage = NO_USAGE
    """What it had cost by then: some agents count on from there."""
