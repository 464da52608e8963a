"""Caps and durations as `weft simulate` is given them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weft.assembly.simulation_times import Model
from weft.cli.durations import seconds_of
from weft.errors import UsageError

MOST_CAPS = 200
_CAPS = re.compile(r"([0-9]{1,7})(?:-([0-9]{1,7}))?")
_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]+)?)\s*%?")


def caps_of(cap: str | None, caps: str | None) -> list[int]:
    """Those to try, each once and in order; none: the plan's own."""
    if cap is not None and caps is not None:
        raise UsageError("--cap and --caps exclude each other", hint=f"`--caps {cap},{caps}` tries them all")
    if cap is not None:
        return [_cap("--cap", cap)]
    if caps is None:
        return []
    found = sorted({number for part in caps.split(",") for number in _range(part.strip(), caps)})
    if len(found) > MOST_CAPS:
        raise UsageError(f"--caps {caps}: {len(found):,} are too many", hint=f"at most {MOST_CAPS} are tried")
    return found


def _range(part: str, whole: str) -> range:
    match = _CAPS.fullmatch(part)
    first = int(match[1]) if match else 0
    last = int(match[2] or match[1]) if match else 0
    if not 1 <= first <= last:
        raise UsageError(
            f"Invalid --caps value: {whole}. Must be numbers from 1 and ranges of them.",
            hint="such as `1-8` or `1,2,4`",
        )
    return range(first, min(last, first + MOST_CAPS + 1) + 1)


def _cap(flag: str, text: str) -> int:
    if not text.strip().isdecimal() or int(text) < 1:
        raise UsageError(f"Invalid {flag} value: {text}. Must be a positive integer.")
    return int(text)


def model_of(estimates: Sequence[str], spread: str | None, seed: int) -> Model:
    phases: dict[str, float] = {}
    anything: float | None = None
    for said in estimates:
        what, mark, text = said.rpartition("=")
        seconds = seconds_of("--estimate", text.strip())
        if mark:
            phases[what.strip()] = seconds
        else:
            anything = seconds
    job, gates = phases.pop("job", None), phases.pop("gates", None)
    return Model(phase=anything, phases=phases, job=job, gates=gates, spread=_share(spread), seed=seed)


def _share(text: str | None) -> float:
    if text is None:
        return 0.0
    match = _PERCENT.fullmatch(text.strip())
    if match is None or float(match[1]) > 100:
        raise UsageError(f"Invalid --spread value: {text}. Must be from 0% to 100%.")
    return float(match[1]) / 100
