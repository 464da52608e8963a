"""The runs that this process has."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from weft.model.ids import RunId
from weft.processes import Identity
from weft.stores.claims import Claim, claim_run


class Claims(ExitStack):
    """Leaving it lets go of all. Each names the warden that works for it, also where a new one had to be started."""

    def __init__(self, state_folder: Path) -> None:
        super().__init__()
        self._folder = state_folder
        self._held: list[Claim] = []

    def take(self, run: RunId, warden: Identity) -> Claim:
        claim = self.enter_context(claim_run(self._folder, run))
        claim.note_warden(warden.pid, warden.started)
        self._held.append(claim)
        return claim

    def note_warden(self, warden: Identity) -> None:
        for claim in self._held:
            claim.note_warden(warden.pid, warden.started)
