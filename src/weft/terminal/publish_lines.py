"""Lines about pull requests in a run as people follow it, in the style of phase lines (RUN-10)."""

from __future__ import annotations

from weft.board.views import RunView
from weft.model.events import HandoffEnded, PublishEnded, TrackerWaits
from weft.model.job import PullRequestRef
from weft.terminal.glyphs import UNICODE, Glyphs
from weft.terminal.plain import plain
from weft.terminal.screen import Tone


def publish_line(
    view: RunView, event: PublishEnded | HandoffEnded | TrackerWaits, glyphs: Glyphs = UNICODE
) -> tuple[str, Tone]:
    """`● #100: pull request #623 ✓`, `● #101: pull request ✗`."""
    match event:
        case TrackerWaits(why=why):
            return plain(f"{glyphs.pending} {why}"), Tone.WARNING
        case PublishEnded(attempt=attempt, pull_request=made):
            head, problem = view.label(attempt.job), None if made else event.problem
        case HandoffEnded(repo=repo, pull_request=made, problem=problem):
            head = f"hand-off of {repo}"
    if problem:
        return plain(f"{glyphs.bullet} {head}: pull request {glyphs.cross} {glyphs.dot} {problem}"), Tone.BAD
    return plain(f"{glyphs.bullet} {head}: {_made(made)} {glyphs.tick}"), Tone.PLAIN


def _made(made: PullRequestRef | None) -> str:
    return "nothing is left to hand over" if made is None else f"pull request #{made.number}"
