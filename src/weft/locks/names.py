"""What a lock may be called: an issue's number, or the name of a job that is no issue (LOCK-9)."""

from __future__ import annotations

import re

from weft.errors import UsageError

SUFFIX = ".lock"
_ISSUE = re.compile(r"[1-9][0-9]{0,17}")
_JOB = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,199}")
_SHOWN = 60


def parse_name(text: str) -> str:
    """The lock's name; `#604` is `604`. UsageError for anything else: it becomes a file's name."""
    name = text.removeprefix("#") if _ISSUE.fullmatch(text.removeprefix("#")) else text
    if not is_name(name):
        raise UsageError(
            f"Invalid issue: `{text[:_SHOWN]}`",
            hint="write an issue's number such as `604`, or a job's lock name such as `p-3f9a`",
        )
    return name


def is_name(text: str) -> bool:
    return bool(_ISSUE.fullmatch(text) or _JOB.fullmatch(text))


def label(name: str) -> str:
    """`#604`, or the name itself where it is no number."""
    return f"#{name}" if name.isdecimal() else name


def titled(name: str) -> str:
    """`Issue #604`, to begin a sentence with."""
    return f"Issue #{name}" if name.isdecimal() else f"Job {name}"
