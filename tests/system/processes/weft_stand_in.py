"""A Weft that starts a tree and then waits, to be killed: `weft_stand_in.py FOLDER MARK SHAPE...`."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from weft.processes import Launch, Warden

TREE = Path(__file__).with_name("tree.py")


async def main() -> None:
    folder, mark, *shapes = Path(sys.argv[1]), *sys.argv[2:]
    env = {"PATH": os.environ["PATH"], "WEFT_ATTEMPT": f"{mark}/shop#1/exec/1"}
    status_file = folder / "status"
    argv = (sys.executable, "-S", str(TREE), mark, *shapes)
    async with Warden() as warden:
        (folder / "warden.new").write_text(f"{warden.identity.pid} {warden.identity.started}")
        (folder / "warden.new").rename(folder / "warden")
        child = await warden.spawn(Launch(argv, folder, env, folder / "output", status_file=status_file))
        await child.wait()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
