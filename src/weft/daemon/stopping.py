"""Being told to stop: once in order, twice at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Stopping:
    """Made within the event loop that it listens for."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.asked = asyncio.Event()
        self.hurried = asyncio.Event()
        """Whoever asks again does not want to wait."""
        self._say = say

    def listen(self) -> None:
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._on_signal, number)

    def _on_signal(self, number: signal.Signals) -> None:
        self._say(f"told to stop ({number.name})")
        if self.asked.is_set():
            self.hurried.set()
        self.asked.set()
