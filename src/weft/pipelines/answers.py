"""Questions of agents, and what people answer (UI-4): in the same words whatever the pipeline."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weft.pipelines.fence import clean_text, fence

_QUESTION = re.compile(r"[*_` ]*QUESTION:[*_` ]*(?P<text>\S.*)")
_LONGEST = 2000
_TOLD = """
An earlier session could not go on by itself, and a person was asked. What is between the fences are the words of the \
person whom you work for: they decide where the issue leaves something open. Do not ask the same again.
"""


def question_in(text: str) -> str | None:
    """What the last line asks, where it begins with `QUESTION:`."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = _QUESTION.fullmatch(lines[-1]) if lines else None
    return asked(found["text"]) if found else None


def asked(text: str) -> str:
    """A question as people are shown it."""
    return clean_text(text).strip().rstrip("*_` ")[:_LONGEST]


def answered(answers: Sequence[str]) -> str:
    """To stand after the whole prompt; empty where nobody was asked."""
    told = "\n\n".join(f"A person answers: {answer.strip()}" for answer in answers if answer.strip())
    return f"{_TOLD}\n{fence(told, 'What they said, the latest last')}\n" if told else ""
