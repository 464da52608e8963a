"""The `[workspace] setup` command of a fresh worktree."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from weft.execution.attended import EndedBy, attend_or_end
from weft.processes import Launch, Warden
from weft.processes.follow import tail

TAIL_BYTES = 4_000
TRIES = 3
"""It is begun again where the warden died under it, but not for ever."""


async def run_setup(
    warden: Warden, command: str, cwd: Path, log: Path, environment: Mapping[str, str], timeout: float, grace: float
) -> tuple[int, str]:
    """Its exit status and the end of what it printed."""
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    launch = Launch(argv=("/bin/sh", "-c", command), cwd=cwd, env=environment, stdout=log)
    for _ in range(TRIES):
        ended = await attend_or_end(warden, launch, timeout=timeout, grace=grace, name="workspace set-up")
        if ended.by is not EndedBy.WARDEN:
            break
    said = tail(log, TAIL_BYTES)
    if ended.by is EndedBy.TIMEOUT:
        return 124, f"{said}\n(stopped after its time limit of {timeout:g} s)"
    return ended.exit.status, said
