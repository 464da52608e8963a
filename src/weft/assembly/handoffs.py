"""Writes a wave's hand-off, a file per repo in the run's folder (WAVE-11)."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weft.board.handoff import checks_of, handoff
from weft.board.views import HandoffView, RunView
from weft.model.events import RunStarted
from weft.model.layout import Layout
from weft.ports import Journal
from weft.stores.folders import PRIVATE_FILE, make_folder


class Handoff(msgspec.Struct, frozen=True):
    repo: str
    target: str | None
    file: Path
    pull_request: int | None = None
    url: str | None = None
    problem: str | None = None
    """Why there is no pull request, where there was to be one."""


def write_handoffs(journal: Journal, layout: Layout, view: RunView) -> list[Handoff]:
    """In the plan's order. A run that was gone on with writes them anew: the last word counts."""
    events = [entry.event for entry in journal.read(view.run)]
    plan = next((event.plan for event in events if isinstance(event, RunStarted)), None)
    if plan is None:
        return []
    checks = checks_of(events)
    written: list[Handoff] = []
    make_folder(Path(layout.run(view.run)))
    for repo in plan.repos:
        file = Path(layout.handoff(view.run, repo.name))
        _write(file, handoff(plan, repo, view, checks))
        made = view.handed_off.get(repo.name, HandoffView())
        target = repo.merge.target if repo.merge else None
        written.append(Handoff(repo.name, target, file, made.number, made.url, made.problem))
    return written


def _write(file: Path, text: str) -> None:
    """Aside first, so that nobody reads half of it."""
    aside = file.with_suffix(".new")
    aside.touch(mode=PRIVATE_FILE)
    aside.write_text(text, "utf-8", errors="backslashreplace")
    aside.replace(file)
