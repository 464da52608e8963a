"""`weft`, `python -m weft`."""

from __future__ import annotations

import sys


def main() -> None:
    """Answer `--version` before anything else is imported, and a look at a lock soon after (PERF-2)."""
    if sys.argv[1:] == ["--version"]:
        from weft.version import __version__

        sys.stdout.write(f"weft {__version__}\n")
        return
    if sys.argv[1:2] == ["locks"]:
        from weft.cli.locks_look import quick

        code = quick(sys.argv[2:])
        if code is not None:
            sys.exit(code)
    try:
        from weft.cli.main import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules were being imported, or as the process ended
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
