"""Install the agent CLIs that the tests drive, at the locked versions, into a cache outside the checkout.

Prints the folder whose `node_modules/.bin` holds them. The lock file decides the folder's name, so another lock is
another folder, and one that is there is complete: it is installed aside and moved into place.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MANIFEST = Path(__file__).resolve().parents[1] / "tests" / "system" / "real_agents" / "npm"
FILES = ("package.json", "package-lock.json")


def folder() -> Path:
    """Where they are, or will be."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    digest = hashlib.sha256(b"".join((MANIFEST / name).read_bytes() for name in FILES)).hexdigest()
    return Path(base) / "weft-test-agents" / digest[:16]


def install() -> Path:
    """Install unless it is done; several at once wait for the first."""
    target = folder()
    target.parent.mkdir(parents=True, exist_ok=True)
    with (target.parent / f"{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            _install_aside(target)
    return target


def _install_aside(target: Path) -> None:
    aside = Path(tempfile.mkdtemp(prefix=f"{target.name}.", dir=target.parent))
    try:
        for name in FILES:
            shutil.copy(MANIFEST / name, aside / name)
        # Claude asks for a newer Node than it needs: what runs is a program of its own, Node only unpacks it.
        # Not `npm ci`: it refuses a lock that lacks the platform packages of other systems.
        command = ["npm", "install", "--no-audit", "--no-fund", "--engine-strict=false"]
        subprocess.run(command, cwd=aside, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)
        aside.rename(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def main() -> int:
    if shutil.which("npm") is None:
        print("npm is not installed; the agents come from npm packages", file=sys.stderr)
        return 1
    try:
        print(install())
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"the agents could not be installed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
