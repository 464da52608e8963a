"""The crash report: what a maintainer needs to know of a defect, and no secret."""

from __future__ import annotations

import os
import platform
import re
import shlex
import tempfile
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from weft.settings.environment import Environment
from weft.version import __version__

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH", re.IGNORECASE)
_SHORTEST_SECRET = 6


def write_crash_report(error: BaseException, environment: Environment, args: Sequence[str]) -> Path | None:
    """Write it to the state folder, or where that fails to the temporary one; None where neither takes it."""
    text = without_secrets(_report(error, args), environment)
    for folder in (environment.state_folder / "crashes", Path(tempfile.gettempdir())):
        try:
            return _write(folder, text)
        except OSError:
            continue
    return None


def without_secrets(text: str, environment: Environment) -> str:
    """`text` without the values of variables whose names say that they are secret."""
    for name, value in environment.variables.items():
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET:
            text = text.replace(value, f"<{name}>")
    return text


def _report(error: BaseException, args: Sequence[str]) -> str:
    lines = [
        f"weft {__version__}",
        f"python {platform.python_version()} on {platform.platform()}",
        f"command: {shlex.join(['weft', *args])}",
        "",
        "".join(traceback.format_exception(error)),
    ]
    return "\n".join(lines)


def _write(folder: Path, text: str) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    path = folder / f"weft-crash-{moment}-{os.getpid()}.txt"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    return path
