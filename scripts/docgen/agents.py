"""What a program that is an agent may print, and what it finds in its environment."""

from __future__ import annotations

import msgspec
from scripts.docgen.markdown import code, table

from weft.agents.environment import ALLOWED, ALLOWED_PREFIXES
from weft.agents.lines import KINDS, Told

MEANINGS = {
    "started": "Which session of its own it is",
    "message": "Something it says; the last ones are its answer where there is no `result`",
    "usage": "What was used; several lines add up. No `cost_usd` means unknown, not zero",
    "rate_limit": "What the provider said: `allowed`, `allowed_warning` or `rejected`; when it resets (epoch seconds)",
    "verdict": "In a review: whether the work is approved, and what is wrong with it",
    "touches": "The files that a plan means to touch",
    "question": "What a person must tell it before it can go on: the job is parked until then",
    "result": "How it ended. `class` says why it did not: " + ", ".join(code(each.value) for each in Told),
}


def lines() -> str:
    rows = [(code(kind), _fields(shape), MEANINGS[kind]) for kind, shape in KINDS.items()]
    return table(("`type`", "fields", "meaning"), rows)


def _fields(shape: type) -> str:
    return ", ".join(
        code(field.encode_name) + (" (needed)" if field.required else "") for field in msgspec.structs.fields(shape)
    )


def environment() -> str:
    names = ", ".join(code(name) for name in sorted(ALLOWED, key=lambda name: (name.lower(), name)))
    prefixes = " and ".join(code(prefix + "…") for prefix in ALLOWED_PREFIXES)
    return f"{names}; and all that begin with {prefixes}."
