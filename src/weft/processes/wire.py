"""Requests to the warden, and its refusals as errors a user can read."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weft.errors import ProcessError
from weft.processes.launch import Launch


def spawn_request(number: int, launch: Launch) -> bytes:
    """The request that starts `launch`; raises as `check` does."""
    check(launch)
    return _line(
        {
            "n": number,
            "argv": [_octets(each) for each in launch.argv],
            "env": {_octets(name): _octets(value) for name, value in launch.env.items()},
            "cwd": _path(launch.cwd),
            "stdin": _path(launch.stdin or Path(os.devnull)),
            "stdout": _path(launch.stdout),
            "stderr": launch.stderr and _path(launch.stderr),
            "status_file": launch.status_file and _path(launch.status_file),
        }
    )


def stop_request(number: int, grace: float) -> bytes:
    return _line({"n": number, "grace": grace})


def end_request(number: int, sig: int, grace: float) -> bytes:
    return _line({"n": number, "signal": sig, "grace": grace})


def refusal(launch: Launch, where: str, number: int) -> ProcessError:
    """What was at fault, in words."""
    if where == "program":
        return _program_refusal(launch, number)
    path = launch.cwd if where == "cwd" else getattr(launch, where)
    if where == "cwd" and number == errno.ENOENT:
        return ProcessError(f"the folder `{path}` to run `{launch.argv[0]}` in does not exist")
    return ProcessError(f"`{launch.argv[0]}` cannot start: {where} `{path}`: {os.strerror(number)}")


def _program_refusal(launch: Launch, number: int) -> ProcessError:
    program = launch.argv[0]
    if number == errno.ENOENT and "/" not in program:
        return ProcessError(f"the program `{program}` was not found", hint=f"PATH is `{launch.env.get('PATH', '')}`")
    if number == errno.ENOENT and (launch.cwd / program).exists():
        return ProcessError(
            f"the program `{program}` cannot start: the interpreter its first line names does not exist"
        )
    if number in (errno.ENOENT, errno.ENOTDIR):
        return ProcessError(f"the program `{program}` does not exist")
    if number == errno.EACCES:
        return ProcessError(f"the program `{program}` is not executable", hint=f"`chmod +x {program}`")
    if number == errno.ENOEXEC:
        return ProcessError(f"the program `{program}` is neither a binary nor a script that begins with `#!`")
    return ProcessError(f"the program `{program}` cannot start: {os.strerror(number)}")


def check(launch: Launch) -> None:
    """Raise ProcessError for what no program can be given."""
    if not launch.argv or not launch.argv[0]:
        raise ProcessError("no program was given to start")
    for text in (*launch.argv, *_flat(launch.env), str(launch.cwd)):
        if "\0" in text:
            raise ProcessError(f"`{launch.argv[0]}` cannot start: {text!r} holds a NUL character")
    for name in launch.env:
        if not name or "=" in name:
            raise ProcessError(f"`{launch.argv[0]}` cannot start: {name!r} is no name for a variable")


def _flat(env: Mapping[str, str]) -> list[str]:
    return [*env.keys(), *env.values()]


def _octets(text: str) -> str:
    """One character per byte, so that names and values of any encoding pass as they are."""
    return text if text.isascii() else os.fsencode(text).decode("latin-1")


def _path(path: Path) -> str:
    return _octets(str(path.absolute()))


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"
