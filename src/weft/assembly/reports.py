"""A report per run, Markdown, JSON and a page, named by the run and never overwritten (PROJ-7)."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

from weft.board.costs import costs_of
from weft.board.document import run_document
from weft.board.report_html import report_html
from weft.board.report_markdown import report_markdown
from weft.board.times import iso_time
from weft.board.views import RunView
from weft.model.layout import Layout
from weft.stores.folders import PRIVATE_FILE, make_folder

FOLDER = "reports"


def write_reports(view: RunView, layout: Layout) -> list[Path]:
    """All files; where a run that was recovered has some already, the new ones are numbered."""
    folder = Path(layout.root) / FOLDER
    make_folder(folder)
    document = json.dumps(run_document(view), indent=2, ensure_ascii=False) + "\n"
    page = report_html(view, costs_of([view], lambda at: iso_time(at)[:10]))
    for number in count(1):
        name = view.run if number == 1 else f"{view.run}-{number}"
        texts = {".md": report_markdown(view), ".json": document, ".html": page}
        try:
            return [_write(folder / f"{name}{suffix}", text) for suffix, text in texts.items()]
        except FileExistsError:
            continue
    raise AssertionError("unreachable")


def _write(path: Path, text: str) -> Path:
    """A reader may find it half written, but never another run's."""
    path.touch(mode=PRIVATE_FILE, exist_ok=False)
    path.write_text(text, "utf-8", errors="backslashreplace")
    return path
