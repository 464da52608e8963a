"""Every test of what is kept over sessions runs in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from tests.virtual_time import VirtualTimeLoop


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"virtual": VirtualTimeLoop}
