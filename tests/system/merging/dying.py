"""A process that gates a merge in the scene under the folder given, and is there to be killed."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.git_repo import GitRepo
from tests.system.merging.scene import Scene

from weft.model.plan import Gate


async def main(root: Path, gate: str) -> None:
    scene = Scene(root, GitRepo.opened(root / "shop", root / "home"))
    scene.gates = (Gate("test", gate),)
    async with scene.hands() as hands:
        await hands.gate(scene.repo.tip("main"))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
