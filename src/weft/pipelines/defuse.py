"""Agents' text on a tracker's pages (SEC-2): it shows as written, and calls nobody, closes nothing, loads nothing.

A character without width breaks what the tracker would act on. It does so within code too, where escapes would show.
"""

from __future__ import annotations

import re

from weft.pipelines.fence import clean_line, clean_text

_BREAK = "\u200b"
_LIVE = re.compile(
    r"@(?=[A-Za-z0-9])"  # a mention of a person or a team, a commit of another repo
    r"|#(?=[0-9])|\bGH-(?=[0-9])"  # an issue, which `fixes` before it would close
    r"|/(?:issues|pulls?|discussions)/(?=[0-9])"  # the same by its address
    r"|&(?=#|[A-Za-z])"  # the same by character references
    r"|<(?=[A-Za-z/!?])"  # HTML, with comments that nobody sees
    r"|!(?=\[)"  # a picture that is loaded from elsewhere
    r"|^[ \t]*(?=/[a-z])",  # a command to a bot
    re.IGNORECASE | re.MULTILINE,
)


def defuse(text: str) -> str:
    """`text` that triggers nothing where it is shown."""
    return _LIVE.sub(rf"\g<0>{_BREAK}", clean_text(text))


def defuse_line(text: str, limit: int = 200) -> str:
    """The same in one line, for titles."""
    return defuse(clean_line(text, limit))
