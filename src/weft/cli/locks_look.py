"""The `locks` commands that only look, and the short way to them.

`weft locks check` is asked by scripts before each thing they do, and reading the command line with click would take
most of its time. So a plain `check`, `check-batch` or `list` is answered here; whatever else is asked, and whatever
goes wrong, takes the long way and is told there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from weft.cli.locks_place import find_locks
from weft.cli.locks_words import answer, print_rows, state_line, table, warning_line
from weft.errors import ExitCode
from weft.locks import looking
from weft.locks.names import parse_name
from weft.settings.environment import Environment


def quick(args: Sequence[str]) -> int | None:
    """The exit code of `weft locks ARGS`, or None where this is not for the short way."""
    as_json = "--json" in args
    words = [word for word in args if word != "--json"]
    if not words or any(word.startswith("-") for word in words):
        return None
    try:
        return _answered(words[0], words[1:], as_json=as_json)
    except Exception:  # nothing was changed: the long way meets it again, and knows how to say it
        return None


def _answered(command: str, issues: Sequence[str], *, as_json: bool) -> int | None:
    match command, len(issues):
        case "check", 1:
            return check(Environment.read(), issues[0], as_json=as_json)
        case "check-batch", count if count:
            return check_batch(Environment.read(), issues, as_json=as_json)
        case "list", 0:
            return list_locks(Environment.read(), as_json=as_json)
    return None


def check(environment: Environment, issue: str, *, as_json: bool) -> int:
    state = looking.check(find_locks(environment), parse_name(issue))
    answer(state, state_line(state), ok=not state.held, as_json=as_json)
    return ExitCode.FAILED if state.held else ExitCode.OK


def check_batch(environment: Environment, issues: Sequence[str], *, as_json: bool) -> int:
    found = looking.held(find_locks(environment), dict.fromkeys(map(parse_name, issues)))
    if as_json:
        print_rows(found)
    else:
        sys.stdout.write("".join(f"{warning_line(state)}\n" for state in found))
    sys.stdout.flush()
    return ExitCode.FAILED if found else ExitCode.OK


def list_locks(environment: Environment, *, as_json: bool) -> int:
    found = looking.list_locks(find_locks(environment))
    if as_json:
        print_rows(found)
    elif found:
        sys.stdout.write(f"{table(found)}\n")
    else:
        sys.stderr.write("No locks\n")
    sys.stdout.flush()
    return ExitCode.OK
