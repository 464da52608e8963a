"""What GitHub needs is loaded only where GitHub is used."""

from __future__ import annotations

import subprocess
import sys


def test_commands_do_not_load_the_client() -> None:
    """PERF-2: settings, locks and the run command start without githubkit, which takes long to load."""
    probe = (
        "import sys, weft.settings.load, weft.cli.locks, weft.cli.run, weft.assembly.import_tools;"
        "print(sorted({'githubkit', 'httpx', 'pydantic', 'anyio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
