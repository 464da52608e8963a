"""The file that `parallel`, `chain` and `compare` are given: named, or on stdin."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from weft.errors import UsageError
from weft.settings.environment import Environment
from weft.sources.task_text import LARGEST, Format, decode, format_of

STDIN = "-"
FORMATS = [form.value for form in Format]


class Given(msgspec.Struct, frozen=True):
    where: str
    """For messages."""
    data: bytes
    form: Format | None


def read_given(file: str | None, form: str | None, environment: Environment, *, command: str) -> Given:
    """UsageError where nothing is there to be read."""
    chosen = Format(form) if form else None
    if file is None or file == STDIN:
        return Given("stdin", _stdin(command, explicit=file == STDIN), chosen)
    path = environment.folder / file
    try:
        with path.open("rb") as opened:
            data = opened.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"No input: `{file}` cannot be read: {error.strerror}") from None
    return Given(file, data, chosen or format_of(path.suffix))


def decoded(given: Given, listed: str | None) -> object:
    return decode(given.data, given.where, given.form, listed=listed)


def _stdin(command: str, *, explicit: bool) -> bytes:
    hint = f"`weft {command} --file FILE`, or pipe a file in"
    if sys.stdin is None or sys.stdin.closed or (sys.stdin.isatty() and not explicit):
        raise UsageError("No input: no `--file` is given and nothing is piped in", hint=hint)
    data = sys.stdin.buffer.read(LARGEST + 1)
    if not data.strip():
        raise UsageError("No input: stdin is empty", hint=hint)
    return data


def output_dir(options: Mapping[str, Any], environment: Environment) -> Path | None:
    """As the command line says."""
    given = options["output_dir"]
    return None if given is None else environment.folder / given
