"""Asking before something starts, from within an event loop."""

from __future__ import annotations

import signal

import click


def confirmed(question: str, *, default: bool) -> bool:
    """On stderr. Ctrl-C ends the command at once: the loop would only take note of it, and the question stay open."""
    of_the_loop = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return click.confirm(question, default=default, err=True)
    finally:
        signal.signal(signal.SIGINT, of_the_loop)
