"""Text from outside made safe to show: one line, nothing a terminal would act on."""

from __future__ import annotations

import re

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS and kin, to their end
    r"|\x9b[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    """One line without escape sequences, control characters or marks that turn the reading direction; tabs become
    a space, and so do line breaks."""
    spaced = _ESCAPES.sub("", text).replace("\t", " ").replace("\r\n", " ").replace("\n", " ")
    return _CONTROLS.sub("", spaced)
