"""The end of a wave on the terminal: the summary, and where each repo's hand-off is."""

from __future__ import annotations

from collections.abc import Sequence

from weft.assembly.handoffs import Handoff, write_handoffs
from weft.assembly.local import LocalEngine
from weft.board.board import Board
from weft.board.document import Document, run_document
from weft.cli.drive import Display, Show, conclude
from weft.cli.printing import print_json, print_text
from weft.errors import DefectError, ExitCode
from weft.model.plan import Mode
from weft.terminal.columns import columns
from weft.terminal.plain import plain


def handoffs_of(local: LocalEngine, board: Board) -> list[Handoff]:
    """Written for waves alone."""
    return write_handoffs(local.journal, local.layout, board.view) if board.view.mode is Mode.WAVE else []


def conclude_wave(board: Board, display: Display, handoffs: Sequence[Handoff]) -> ExitCode:
    code = board.view.exit_code
    if code is None:
        raise DefectError(f"run {board.view.run} has no end")
    match display.show:
        case Show.JSON:
            print_json(run_document(board.view, code) | handoff_document(handoffs))
        case Show.JSON_STREAM:
            pass
        case _:
            conclude(board, display)
            print_text(handoff_text(handoffs))
    return code


def handoff_document(handoffs: Sequence[Handoff]) -> Document:
    return {"handoffs": [_as_data(each) for each in handoffs]}


def _as_data(each: Handoff) -> Document:
    document: Document = {"repo": each.repo, "target": each.target, "file": str(each.file)}
    if each.url or each.problem:
        document |= {"pull_request": each.pull_request, "pull_request_url": each.url, "problem": each.problem}
    return document


def handoff_text(handoffs: Sequence[Handoff]) -> str:
    rows = [[f"hand-off of {each.repo}:", each.target or "", _pull(each), str(each.file)] for each in handoffs]
    if not any(row[2] for row in rows):
        rows = [[row[0], row[1], row[3]] for row in rows]
    return "".join(f"{line}\n" for line in columns(rows))


def _pull(each: Handoff) -> str:
    if each.pull_request is not None:
        return f"PR #{each.pull_request}"
    return f"pull request failed: {plain(each.problem)}" if each.problem else ""
