"""A `weft` that kills itself -9 around an event of one kind."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support import dying_weft
from tests.support.github_shop import GithubShop
from tests.support.started import Started

from weft.model.events import AnyEvent


def run_dying(hub: GithubShop, when: str, kind: type[AnyEvent], *args: str) -> None:
    """The number of the event differs from run to run, so it is named by its kind."""
    output = hub.shop.root / f"dying-{when}-{kind.__name__}"
    argv = [sys.executable, str(Path(dying_weft.__file__)), when, kind.__name__, *args]
    answer = Started(argv, hub.shop.repo.path, hub.shop.environment, output).wait()
    assert answer.code == -9, answer.err
