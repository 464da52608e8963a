"""A review's verdict, read from what the reviewer wrote. Fails closed: what is not exactly a verdict is none."""

from __future__ import annotations

import json
import re
from typing import Any

from weft.model.outcome import Verdict
from weft.pipelines.blocks import Block, fenced_blocks
from weft.pipelines.fence import clean_text

NO_VERDICT = "The review gave no valid verdict"

_LONGEST = 256 * 1024
_STARTS_TRIED = 50
_QUOTED = 4000


def parse_verdict(text: str) -> Verdict | None:
    """The verdict that ends `text`: a fenced block, the whole text, or a JSON object that starts a line.

    None when the last thing is no verdict, or when two verdicts in it do not agree.
    """
    text = text[-_LONGEST:].strip()
    blocks = fenced_blocks(text)
    fenced = [_fenced(block) for block in blocks]
    final = fenced[-1] if blocks and blocks[-1].last else _last_object(text)
    if final is None or any(other is not None and other.approved != final.approved for other in fenced):
        return None
    return final


def read_verdict(text: str) -> Verdict:
    """As `parse_verdict`; none is a refusal that quotes what was said instead."""
    return explained(parse_verdict(text), said=text)


def explained(verdict: Verdict | None, said: str = "") -> Verdict:
    """A verdict that is always there, and says why when it is no."""
    if verdict is None:
        said = clean_text(said).strip()[-_QUOTED:]
        return Verdict(False, (f"{NO_VERDICT}; it said: {said}" if said else NO_VERDICT,))
    if not verdict.approved and not verdict.findings:
        return Verdict(False, ("The review did not approve and gave no findings",))
    return verdict


def _fenced(block: Block) -> Verdict | None:
    return _decode(block.body) if block.closed and block.info in ("json", "") else None


def _last_object(text: str) -> Verdict | None:
    if not text.endswith("}"):
        return None
    starts = [found.start() for found in re.finditer(r"^[ \t]*\{", text, re.M)]
    for start in reversed(starts[-_STARTS_TRIED:]):
        verdict = _decode(text[start:])
        if verdict is not None:
            return verdict
    return None


def _decode(text: str) -> Verdict | None:
    try:
        found = json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError):
        return None
    return verdict_of(found)


def verdict_of(found: object) -> Verdict | None:
    """A decoded value as a verdict: the two keys, of their types, and no others."""
    if not isinstance(found, dict) or not found.keys() <= {"approved", "findings"}:
        return None
    approved, findings = found.get("approved"), found.get("findings", [])
    if not isinstance(approved, bool) or not isinstance(findings, list):
        return None
    if not all(isinstance(finding, str) for finding in findings):
        return None
    cleaned = (clean_text(finding).strip() for finding in findings)
    return Verdict(approved, tuple(finding for finding in cleaned if finding))


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key given twice has two meanings, so it has none."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice")
    return found
