"""The fields of task files and plan files, from where they are declared."""

from __future__ import annotations

import msgspec
from scripts.docgen.markdown import code, table

from weft.sources.task_check import allowed_text, fields
from weft.sources.task_fields import ChainFile, CompareFile, StepEntry, TaskEntry, TaskFile
from weft.sources.wave_fields import WaveFile, WaveJob

LISTS = {
    "tasks": "a list of tasks, at least one",
    "steps": "a list of steps, at least one",
    "jobs": "a list of jobs, at least one",
    "$schema": "a text",
}


def task_file() -> str:
    return f"{_fields(TaskFile)}\n\n### A task\n\n{_fields(TaskEntry)}"


def chain_file() -> str:
    return f"{_fields(ChainFile)}\n\n### A step\n\n{_fields(StepEntry)}"


def compare_file() -> str:
    return _fields(CompareFile)


def wave_file() -> str:
    return f"{_fields(WaveFile)}\n\n## A job\n\nEither `issue` or `prompt` must be there.\n\n{_fields(WaveJob)}"


def _fields(kind: type[msgspec.Struct]) -> str:
    rows = [
        (
            code(name),
            "yes" if field.required else "",
            LISTS.get(name) or allowed_text(field.type),
            field.description,
        )
        for name, field in fields(kind).items()
    ]
    return table(("field", "required", "value", "meaning"), rows)
