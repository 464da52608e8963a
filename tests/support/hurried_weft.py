"""`hurried_weft.py SECONDS ARGS...`: the command line with a heartbeat after so many seconds instead of a minute."""

from __future__ import annotations

import sys

from weft.cli.main import run
from weft.terminal import reporter

if __name__ == "__main__":
    reporter.HEARTBEAT = float(sys.argv[1])
    sys.exit(run(sys.argv[2:]))
