"""Ctrl-C before there is a run: no traceback, nothing started (RUN-14)."""

from __future__ import annotations

import signal
import sys

from tests.support.shop import Shop
from tests.support.started import Started
from tests.support.waiting import until

SLOW = """\
import pathlib, sys, time
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            pathlib.Path("{flag}").touch()
            time.sleep(60)
sys.meta_path.insert(0, Slow())
sys.argv = ["weft", "run", "1"]
from weft.__main__ import main
main()
"""


def test_while_modules_are_imported(shop: Shop) -> None:
    """The key pressed right after return: exit 130 in silence."""
    shop.issues("1")
    for module in ("click", "weft.cli.run", "weft.assembly.local"):
        flag = shop.root / f"importing-{module}"
        program = SLOW.format(module=module, flag=flag)
        output = shop.root / f"out-{module}"
        started = Started([sys.executable, "-c", program], shop.repo.path, shop.environment, output)
        until(flag.exists)
        started.send(signal.SIGINT)
        answer = started.wait()
        assert (answer.code, answer.out, answer.err.strip()) == (130, "", ""), module
    assert shop.runs() == []
