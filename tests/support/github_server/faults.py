"""Faults that a test asks for: which requests they meet, how often, and what happens then."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True)
class Answer:
    """This in place of the real answer; nothing is done."""

    status: int
    message: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class DoneButFailed:
    """It is done, and the answer is an error."""

    status: int = 502


@dataclass(frozen=True)
class Drop:
    """The connection is cut; `after` says whether it was done before."""

    after: bool = False


@dataclass(frozen=True)
class Slow:
    """The answer waits until the test says so; `asked` tells the test that the request is there."""

    asked: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)


What: TypeAlias = Answer | DoneButFailed | Drop | Slow


@dataclass
class Fault:
    what: What
    method: str = ""
    path: str = ""
    """A regular expression, found anywhere in the path."""
    skip: int = 0
    """How many requests it would meet are let through first."""
    times: int = 1

    def meets(self, method: str, path: str) -> bool:
        if self.times <= 0 or (self.method and method != self.method) or not re.search(self.path, path):
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        self.times -= 1
        return True
