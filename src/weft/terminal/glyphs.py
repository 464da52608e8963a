"""The signs in Weft's lines, and what stands for them where a stream cannot show them."""

from __future__ import annotations

import msgspec

from weft.model.job import JobStatus


class Glyphs(msgspec.Struct, frozen=True):
    bullet: str = "●"
    tick: str = "✓"
    heavy_tick: str = "✔"
    cross: str = "✗"
    warning: str = "⚠"
    dash: str = "–"
    pending: str = "⏳"
    arrow: str = "→"
    dot: str = "·"
    times: str = "×"
    ellipsis: str = "…"

    def mark(self, status: JobStatus | None) -> str:
        """Of a job in the progress line; None has not ended."""
        if status is None:
            return self.pending
        return {
            JobStatus.PASSED: self.tick,
            JobStatus.FAILED: self.cross,
            JobStatus.LOCKED: self.warning,
            JobStatus.PARKED: self.warning,
        }.get(status, self.dash)


UNICODE = Glyphs()
ASCII = Glyphs("*", "ok", "ok", "x", "!", "-", "...", "->", "-", "x", "...")


def glyphs_for(encoding: str | None) -> Glyphs:
    """The full set where every sign of it can be encoded."""
    try:
        "".join(getattr(UNICODE, name) for name in UNICODE.__struct_fields__).encode(encoding or "ascii")
    except (UnicodeError, LookupError):
        return ASCII
    return UNICODE
