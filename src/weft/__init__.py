"""Weft runs many coding agents at once and weaves their work back together."""

from __future__ import annotations

from weft.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` itself is slow to import
    from typing import Any

    from weft.library import Engine, Plan, Run, RunResult, open_engine

__all__ = ["Engine", "Plan", "Run", "RunResult", "__version__", "open_engine"]


def __getattr__(name: str) -> Any:
    """The library is imported when it is used: `weft --version` must not pay for it."""
    if name in __all__:
        from weft import library

        return getattr(library, name)
    raise AttributeError(f"module 'weft' has no attribute {name!r}")
