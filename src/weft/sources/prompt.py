"""An issue that is a prompt from the command line."""

from __future__ import annotations

from hashlib import sha256

from weft.pipelines.fence import clean_line
from weft.ports import Issue
from weft.sources.dependencies import body_dependencies

ORIGIN = "command line"
_LONGEST_TITLE = 60


def prompt_issue(text: str) -> Issue:
    """The same prompt is the same issue: its id is made from its text."""
    body = text.strip()
    digest = sha256(body.encode()).hexdigest()
    return Issue(id=f"p-{digest[:8]}", title=_title(body), body=body, origin=ORIGIN, depends_on=body_dependencies(body))


def _title(body: str) -> str:
    """The first line, cut at a word."""
    line = clean_line(body.splitlines()[0])
    if len(line) <= _LONGEST_TITLE:
        return line
    return f"{line[:_LONGEST_TITLE].rpartition(' ')[0] or line[:_LONGEST_TITLE]}…"
