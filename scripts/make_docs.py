"""`make docs`: write the generated parts of the documentation, and the picture and the log of a real run.

A page holds blocks between `<!-- generated: NAME -->` and `<!-- end -->`. What is *generated* follows from the code
alone, and `--check` (a test runs it) fails where a page differs. What is *recorded* comes from a real run of the demo,
so it differs each time; it is written here and not compared.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.docgen.blocks import GENERATED, pages, rewritten  # noqa: E402
from scripts.docgen.real_run import record  # noqa: E402


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        return check()
    if arguments:
        print(f"usage: {Path(__file__).name} [--check]", file=sys.stderr)
        return 2
    recorded = record(ROOT / "docs" / "pictures" / "demo.svg")
    for page in pages(ROOT):
        text = page.read_text(encoding="utf-8")
        new = rewritten(text, GENERATED | recorded)
        if new != text:
            page.write_text(new, encoding="utf-8")
            print(f"wrote {page.relative_to(ROOT)}")
    return 0


def check() -> int:
    """Exit 1, with their names, where pages are not what the code says."""
    stale = []
    for page in pages(ROOT):
        text = page.read_text(encoding="utf-8")
        if rewritten(text, GENERATED) != text:
            stale.append(str(page.relative_to(ROOT)))
    for name in stale:
        print(f"{name} differs from the code: run `make docs`")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
