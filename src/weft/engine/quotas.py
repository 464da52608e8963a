"""What other Weft processes of the user were told about quotas: the journal is the place where all of them look."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from weft.engine.run import Run
from weft.errors import StoreError
from weft.model.events import QuotaSeen
from weft.ports import Clock, Journal

POLL_SECONDS = 0.25
"""No session starts anywhere within a second of the news."""
LONGEST_QUOTA = 8 * 86400.0
"""Seconds; no quota that is known of lasts longer than a week."""
UNTOLD = 300.0
"""Seconds for which a quota counts whose reset nobody told; whoever tries after that finds out again."""


def open_quotas(journal: Journal, now: float) -> tuple[QuotaSeen, ...]:
    """Those that hold now, for a run that begins."""
    return tuple(_holding(journal.quota_news(now - LONGEST_QUOTA), now))


async def watch_quotas(run: Run, journal: Journal, clock: Clock) -> None:
    """Whatever run wrote it: what this one did not know becomes its own event."""
    since = clock.now() - UNTOLD
    while not run.over:
        await clock.sleep(POLL_SECONDS)
        try:
            news = journal.quota_news(since)
        except StoreError:
            continue  # busy: the next look finds it
        for event in _holding(news, clock.now()):
            if run.matters(event):
                await run.emit(event)


def _holding(news: Iterable[QuotaSeen], now: float) -> list[QuotaSeen]:
    """The one of each account that lasts longest, at this moment: a week's is not over when five hours' are."""
    longest = {event.account: event for event in sorted(news, key=_ends) if _ends(event) > now}
    return [msgspec.structs.replace(event, at=now, resets_at=_ends(event)) for event in longest.values()]


def _ends(event: QuotaSeen) -> float:
    return event.at + UNTOLD if event.resets_at is None else event.resets_at
