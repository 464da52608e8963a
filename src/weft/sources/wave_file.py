"""A wave's plan file as typed values, with all that is wrong with it at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from weft.errors import UsageError
from weft.sources.task_check import Problems, kind_of, read_entry, read_values
from weft.sources.task_text import LARGEST, Format, decode, format_of
from weft.sources.wave_fields import WaveHead, WaveJob

HINT = "nothing was started; `weft schema wave` prints what such a file may hold"
FORMATS = (Format.TOML, Format.YAML, Format.JSON)


class PlanFile(msgspec.Struct, frozen=True):
    name: str
    jobs: tuple[WaveJob, ...]
    cap: int | None = None
    repos: list[Any] | None = None
    """As the file has them: they are checked like settings are."""


class _Head(WaveHead, frozen=True, kw_only=True):
    jobs: Any = None
    repos: Any = None


def is_plan_file(written: str) -> bool:
    """By its ending: a milestone has none."""
    return format_of(Path(written).suffix) in FORMATS


def read_plan_file(path: Path, shown_as: str) -> PlanFile:
    try:
        with path.open("rb") as opened:
            data = opened.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"`{shown_as}` cannot be read: {error.strerror}") from None
    return checked_plan(decode(data, shown_as, format_of(path.suffix), schema="wave"), shown_as, path.stem)


def checked_plan(raw: object, where: str, stem: str) -> PlanFile:
    if not isinstance(raw, dict):
        raise UsageError(f'{where}: must be an object with "jobs", got {kind_of(raw)}', hint=HINT)
    problems = Problems(where)
    head, _ = read_values(_Head, raw, "", problems)
    jobs = _jobs(raw.get("jobs"), problems)
    repos = raw.get("repos")
    if repos is not None and not isinstance(repos, list):
        problems.wrong("repos", repos, "a list of tables, as under `[[repos]]` in weft.toml")
    refuse(problems)
    return PlanFile(head.get("name") or stem, tuple(jobs), head.get("cap"), repos)


def refuse(problems: Problems) -> None:
    if len(problems):
        raise UsageError("\n".join(problems.lines()), hint=HINT)


def _jobs(raw: object, problems: Problems) -> list[WaveJob]:
    if not isinstance(raw, list) or not raw:
        problems.add(
            "jobs", ": missing" if raw is None else f": must be a list of jobs, at least one, got {kind_of(raw)}"
        )
        return []
    read = [read_entry(WaveJob, entry, f"jobs[{number}]", problems, number)[0] for number, entry in enumerate(raw)]
    for number, job in enumerate(read):
        if job is not None and (job.issue is None) == (job.prompt is None):
            problems.add(f"jobs[{number}]", ": must have either `issue` or `prompt`", number)
        elif job is not None and job.issue is not None and job.id is not None:
            problems.wrong(f"jobs[{number}].id", job.id, "left out where `issue` says which one it is", number)
    return [job for job in read if job is not None]
