"""The keys of an issue file."""

from __future__ import annotations

from scripts.docgen.markdown import code, table

from weft.sources.issue_keys import KEYS

MEANINGS = {
    "title": "What the issue is called; default: the first heading of the text, else the file's name",
    "depends_on": "Issues that must be done first; this one starts from their branches",
    "labels": "Words for people; agents do not see them",
    "milestone": "The wave it is part of: `weft wave run NAME` takes all open issues of a milestone",
    "touches": "Files it is likely to change; issues that share some are kept apart while there is other work",
    "priority": "Higher goes first among those that could start; default 0",
    "state": "`closed`: done elsewhere, so that others may depend on it; default `open`",
}


def keys() -> str:
    """Every key has its words."""
    return table(("key", "value", "meaning"), [(code(name), key.allowed, MEANINGS[name]) for name, key in KEYS.items()])
