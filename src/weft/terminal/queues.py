"""What `weft queue list` prints (MERGE-6)."""

from __future__ import annotations

from weft.board.document import Document
from weft.board.durations import duration_text
from weft.board.times import iso_time
from weft.model.ids import RunId
from weft.scheduler.listing import ListedItem, ListedQueue
from weft.scheduler.merge_queue import ItemState
from weft.terminal.columns import columns
from weft.terminal.glyphs import UNICODE, Glyphs
from weft.terminal.plain import plain


def state_word(state: ItemState) -> str:
    return state.name.lower()


def queue_document(run: RunId, queue: ListedQueue) -> Document:
    """`stacked_on` null: the target's tip."""
    return {
        "run": run,
        "repo": queue.repo,
        "target": queue.target,
        "window": queue.window,
        "held": queue.held,
        "stuck": queue.stuck,
        "tip": queue.tip,
        "items": [_item_document(item) for item in queue.items],
    }


def _item_document(item: ListedItem) -> Document:
    return {
        "key": str(item.key),
        "state": state_word(item.state),
        "stacked_on": None if item.stacked_on is None else str(item.stacked_on),
        "since": iso_time(item.since),
        "repairs": item.repairs,
        "trouble": item.trouble,
    }


def queue_text(run: RunId, queue: ListedQueue, now: float, glyphs: Glyphs = UNICODE) -> str:
    """A head line, why it stands still where it does, then its items in the order in which they are to land."""
    facts = [plain(f"{queue.repo} {glyphs.arrow} {queue.target}"), f"window {queue.window}", f"run {run}"]
    lines = [f" {glyphs.dot} ".join(facts), *_standing(queue, glyphs)]
    if not queue.items:
        return "\n".join([*lines, "  empty"]) + "\n"
    rows = [_row(place, item, now) for place, item in enumerate(queue.items, 1)]
    return "\n".join([*lines, *columns(rows, indent="  ")]) + "\n"


def _standing(queue: ListedQueue, glyphs: Glyphs) -> list[str]:
    """What keeps it from landing anything, with what lifts it."""
    lift = f"`weft queue release {queue.repo}`"
    if queue.stuck is not None:
        return [plain(f"  {glyphs.warning} holds: {queue.stuck}"), plain(f"    hint: mend it, then {lift}")]
    return [plain(f"  {glyphs.warning} held by you; {lift} lifts it")] if queue.held else []


def _row(place: int, item: ListedItem, now: float) -> list[str]:
    on = "the tip" if item.stacked_on is None else str(item.stacked_on)
    since = f"for {duration_text(max(0.0, now - item.since))}"
    again = f"repaired {item.repairs} times" if item.repairs > 1 else "repaired once" if item.repairs else ""
    more = "; ".join(part for part in (item.trouble, again) if part)
    return [f"{place}.", str(item.key), state_word(item.state), f"on {on}", since, more]
