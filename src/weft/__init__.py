"""Weft runs many coding agents at once and weaves their work back together."""

from weft.version import __version__

__all__ = ["__version__"]
