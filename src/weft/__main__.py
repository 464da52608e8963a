"""`weft`, `python -m weft`."""

from __future__ import annotations

import sys


def main() -> None:
    """Answer `--version` before anything else is imported; hand the rest to the command line."""
    if sys.argv[1:] == ["--version"]:
        from weft.version import __version__

        sys.stdout.write(f"weft {__version__}\n")
        return
    from weft.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
