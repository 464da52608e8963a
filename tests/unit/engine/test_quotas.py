"""Which quotas hold for a run that begins."""

from __future__ import annotations

from weft.engine.quotas import open_quotas
from weft.model.events import QuotaSeen
from weft.model.ids import RunId
from weft.stores.memory import MemoryJournal

NOW = 1000.0


async def test_the_longest_of_an_account_holds() -> None:
    """GOV-1: a week's quota that is used up is not forgotten when a shorter one is told of later; what is over, and
    what another account was told, does not matter.
    """
    journal = MemoryJournal()
    told = [("acme", 9000.0), ("acme", 1500.0), ("acme", 990.0), ("other", 1200.0), ("gone", 999.0)]
    for number, (account, resets_at) in enumerate(told):
        seen = QuotaSeen(at=900.0 + number, account=account, resets_at=resets_at, why="")
        await journal.append(RunId("r-1"), [seen])
    held = {event.account: event.resets_at for event in open_quotas(journal, NOW)}
    assert held == {"acme": 9000.0, "other": 1200.0}
