"""Pages of a list, with the Link header that leads from one to the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode


def page_of(items: list[Any], query: Mapping[str, str], url: str) -> tuple[list[Any], str | None]:
    size = min(int(query.get("per_page", "30")), 100)
    number = int(query.get("page", "1"))
    last = max((len(items) + size - 1) // size, 1)
    to = {"prev": number - 1, "first": 1} if number > 1 else {}
    to |= {"next": number + 1, "last": last} if number < last else {}
    links = [f'<{url}?{urlencode({**query, "page": at})}>; rel="{rel}"' for rel, at in to.items()]
    return items[(number - 1) * size : number * size], ", ".join(links) or None
