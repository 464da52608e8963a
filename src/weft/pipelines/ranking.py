"""Answers ranked by a judge who does not know whose they are. Fails closed: what is not exactly a ranking is none."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from hashlib import sha256
from string import ascii_uppercase

import msgspec

from weft.model.ids import JobKey
from weft.pipelines.blocks import fenced_blocks
from weft.pipelines.fence import as_data, clean_text
from weft.pipelines.quoting import Quoted, without_last_newline

NO_RANKING = "the judge gave no valid ranking of the answers"
MOST = len(ascii_uppercase)
_LONGEST = 256 * 1024
_STARTS_TRIED = 50


class Ranking(msgspec.Struct, frozen=True):
    labels: tuple[str, ...]
    """Best first."""
    reason: str = ""


def labelled(keys: Sequence[JobKey]) -> dict[str, JobKey]:
    """A letter for each answer, in an order that says nothing of whose it is, and is the same whenever it is asked."""
    mixed = sorted(keys, key=lambda key: sha256(str(key).encode(errors="replace")).digest())
    return dict(zip(ascii_uppercase, mixed, strict=False))


def answers_text(quoted: Sequence[Quoted]) -> str:
    """The answers of those that succeeded, each under its letter and fenced as data."""
    said = {quote.job: quote.text for quote in quoted if quote.done}
    return "\n\n".join(
        as_data(without_last_newline(said[key]), f"Answer {label}") for label, key in labelled(list(said)).items()
    )


def parse_ranking(text: str, labels: Sequence[str]) -> Ranking | None:
    """The ranking that ends `text`: a fenced block, the whole text, or a JSON object that starts a line."""
    text = text[-_LONGEST:].strip()
    blocks = fenced_blocks(text)
    if blocks and blocks[-1].last:
        last = blocks[-1]
        return _decode(last.body, labels) if last.closed and last.info in ("json", "") else None
    if not text.endswith("}"):
        return None
    starts = [found.start() for found in re.finditer(r"^[ \t]*\{", text, re.M)]
    found = (_decode(text[start:], labels) for start in reversed(starts[-_STARTS_TRIED:]))
    return next((ranking for ranking in found if ranking is not None), None)


def _decode(text: str, labels: Sequence[str]) -> Ranking | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not found.keys() <= {"ranking", "reason"}:
        return None
    ranking, reason = found.get("ranking"), found.get("reason", "")
    if not isinstance(ranking, list) or not isinstance(reason, str):
        return None
    if not all(isinstance(label, str) for label in ranking) or sorted(ranking) != sorted(labels):
        return None
    return Ranking(tuple(ranking), clean_text(reason).strip())
