"""Waves as they stand, for people."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from weft.board.times import iso_time
from weft.board.views import RunView
from weft.board.wave import RepoStand
from weft.terminal.columns import columns
from weft.terminal.glyphs import UNICODE, Glyphs
from weft.terminal.plain import plain

_COUNTS = ("done", "merged", "queued", "active", "parked", "failed", "left")


class WaveStand(msgspec.Struct, frozen=True):
    name: str
    view: RunView
    repos: list[RepoStand]
    handoffs: list[str | None]
    """Their files, of each repo; None until the wave has ended."""


def wave_status_text(waves: Sequence[WaveStand], glyphs: Glyphs = UNICODE) -> str:
    if not waves:
        return "No wave was started yet\n"
    return "\n".join(_wave(wave, glyphs) for wave in waves)


def _wave(wave: WaveStand, glyphs: Glyphs) -> str:
    view = wave.view
    cap = "paused" if view.paused else f"cap {view.cap}"
    parts = [
        wave.name,
        view.run,
        view.status.value,
        *([cap] if view.ended_at is None else []),
        iso_time(view.started_at),
    ]
    rows = [["repo", "target", "issues", *_COUNTS], *(_row(repo) for repo in wave.repos)]
    files = [f"  hand-off of {repo.name}: {file}" for repo, file in zip(wave.repos, wave.handoffs, strict=True) if file]
    return "\n".join([plain(f" {glyphs.dot} ".join(parts)), *columns(rows, indent="  "), *map(plain, files)]) + "\n"


def _row(repo: RepoStand) -> list[str]:
    return [repo.name, repo.target or "", str(repo.total), *(str(getattr(repo, name)) for name in _COUNTS)]
