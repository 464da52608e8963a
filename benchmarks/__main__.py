"""Runs each benchmark in a process of its own, prints one table, writes `results.json`."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from benchmarks.row import Row

HERE = Path(__file__).parent
NAME = re.compile(r"perf(\d+)_\w+\.py")


class Failed(Exception):
    """A benchmark did not come to its end."""


def found(wanted: Sequence[int]) -> list[tuple[int, str]]:
    """Numbers and modules, in the order of the numbers."""
    modules = sorted((int(match[1]), path.stem) for path in HERE.iterdir() if (match := NAME.fullmatch(path.name)))
    unknown = set(wanted) - {number for number, _ in modules}
    if unknown:
        known = ", ".join(str(number) for number, _ in modules)
        raise SystemExit(f"No benchmark {', '.join(map(str, sorted(unknown)))}; there are {known}")
    return [(number, name) for number, name in modules if not wanted or number in wanted]


def run(module: str) -> list[Row]:
    """In its own process: no benchmark inherits another's memory or imports."""
    code = f"import sys, msgspec, benchmarks.{module} as b; sys.stdout.buffer.write(msgspec.json.encode(b.measure()))"
    done = subprocess.run([sys.executable, "-c", code], cwd=HERE.parent, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise Failed(f"{module} ended with exit status {done.returncode}")
    return msgspec.json.decode(done.stdout, type=list[Row])


def as_table(rows: Sequence[Row]) -> Table:
    table = Table(title="Weft, measured")
    for heading in ("PERF", "work", "measured", "result", "required", "met"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        result = "–" if row.ratio is None else f"{row.ratio:,.{_digits(row.ratio)}f} {row.unit}".strip()
        required = "–" if row.required is None else f"{row.bound.value} {row.required:,.6g} {row.unit}".strip()
        table.add_row(str(row.number), row.work, row.measured, result, required, _met(row))
    return table


def _digits(ratio: float) -> int:
    return 0 if ratio >= 1000 else 2


def _met(row: Row) -> str:
    if row.ratio is None:
        return "not measured"
    return {True: "yes", False: "NO", None: "–"}[row.met]


def write_results(rows: Sequence[Row]) -> None:
    results = {
        "machine": {"processor": platform.machine(), "cores": os.cpu_count(), "system": platform.system()},
        "python": platform.python_version(),
        "rows": [{**msgspec.to_builtins(row), "met": row.met} for row in rows],
    }
    document = msgspec.json.format(msgspec.json.encode(results), indent=2)
    (HERE / "results.json").write_bytes(document + b"\n")


def main(arguments: Sequence[str]) -> int:
    if not all(argument.isdigit() for argument in arguments):
        raise SystemExit("usage: python -m benchmarks [NUMBER…]")
    rows: list[Row] = []
    failed = 0
    for number, module in found([int(argument) for argument in arguments]):
        print(f"PERF-{number} …", file=sys.stderr, flush=True)
        try:
            rows += run(module)
        except Failed as error:
            failed += 1
            rows.append(Row(number, module, str(error)))
    Console(width=None if sys.stdout.isatty() else 160).print(as_table(rows))
    if not arguments:
        write_results(rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
