"""git over smart HTTP, by git's own `http-backend`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path


def serve(
    root: Path, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the answer."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(root),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_TYPE": headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": headers.get("Content-Encoding", ""),
        "GIT_PROTOCOL": headers.get("Git-Protocol", ""),
        "REMOTE_USER": "weft",
    }
    done = subprocess.run(["git", "http-backend"], env=env, input=body, capture_output=True, check=True)
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    answer = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
    status = int(answer.pop("Status", "200").split()[0])
    return status, answer, content
