"""What is kept over a session besides its time limit: is it stuck, has it gone on for long."""

from __future__ import annotations

from weft.execution.attended import Vigil, Vigils
from weft.execution.checkpoint import Checkpoint
from weft.execution.signs import files_changed, output_grew, tree_busy
from weft.execution.stall import StallWatch
from weft.ports import SessionRequest
from weft.processes import Launch


def session_vigils(request: SessionRequest, launch: Launch) -> Vigils | None:
    """None where nothing is to be watched."""
    phase, mark, folder = request.phase, str(request.attempt), request.workdir
    stall, checkpoint = phase.stall or 0.0, checkpoint_of(request)
    if not stall and not checkpoint:
        return None
    files = [file for file in (launch.stdout, launch.stderr) if file]

    def kept(pid: int, warden: int, now: float) -> list[Vigil]:
        vigils: list[Vigil] = []
        if checkpoint:
            calm = (tree_busy(pid, mark, warden), files_changed(folder))
            vigils.append(Checkpoint(checkpoint, phase.timeout, calm, now))
        if stall:
            signs = (output_grew(files), tree_busy(pid, mark, warden), files_changed(folder))
            vigils.append(StallWatch(stall, signs, now))
        return vigils

    return kept


def checkpoint_of(request: SessionRequest) -> float:
    """Only what is committed can be gone on with; and one that lies beyond the time limit is never reached."""
    phase = request.phase
    due = phase.checkpoint or 0.0
    return due if phase.writes and request.job.branch is not None and due <= phase.timeout else 0.0
