"""HTML from text that nobody vouches for: all of it is escaped, and what no page may hold is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from weft.pipelines.fence import clean_text

_TAGS = re.compile(r"[a-z][a-z0-9]*")


def text(value: str) -> str:
    """Escaped; no control characters, nothing that turns text around or hides it."""
    return escape(clean_text(value))


def tag(name: str, inside: str, **attributes: str) -> str:
    """`inside` is HTML already. An attribute's name may end with `_` where Python keeps it for itself."""
    assert _TAGS.fullmatch(name)
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items())
    return f"<{name}{given}>{inside}</{name}>"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """`rows` are HTML already; empty where there are none."""
    lines = ["".join(tag("td", cell) for cell in row) for row in rows]
    if not lines:
        return ""
    head = tag("thead", tag("tr", "".join(tag("th", text(name)) for name in header)))
    body = tag("tbody", "\n".join(tag("tr", line) for line in lines))
    return tag("div", tag("table", head + body), class_="r-wide")


def section(title: str, inside: str) -> str:
    """Nothing where there is nothing to show."""
    return f"<section>\n{tag('h2', text(title))}\n{inside}\n</section>" if inside else ""
