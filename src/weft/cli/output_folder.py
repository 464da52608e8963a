"""`output_dir` (TASK-8): `summary.json` and one file per task, each written aside and moved into place."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from weft.board.task_document import Document
from weft.board.task_results import TaskResult
from weft.errors import UsageError
from weft.model.ids import slug

SUMMARY = "summary.json"


class OutputFolder:
    """Keeps the JSON of each result, so that writing the summary anew costs little."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._results: dict[int, bytes] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"output_dir: `{folder}` cannot be made: {error.strerror}") from None
        if not os.access(folder, os.W_OK):
            raise UsageError(f"output_dir: `{folder}` cannot be written to")

    def write_result(self, result: TaskResult, document: Document) -> None:
        encoded = msgspec.json.encode(document)
        self._results[result.facts.index] = encoded
        called = slug(result.facts.id or result.facts.name or result.backend, 40)
        self._write(f"{result.facts.index + 1:03d}-{called}.json", encoded)

    def encoded(self) -> Sequence[msgspec.Raw]:
        """Results so far, in the file's order."""
        return [msgspec.Raw(self._results[index]) for index in sorted(self._results)]

    def write_summary(self, document: Document) -> None:
        self._write(SUMMARY, msgspec.json.encode(document))

    def _write(self, name: str, encoded: bytes) -> None:
        aside = self._folder / f".{name}.{os.getpid()}"
        try:
            aside.write_bytes(msgspec.json.format(encoded, indent=2) + b"\n")
            aside.replace(self._folder / name)
        finally:
            aside.unlink(missing_ok=True)
