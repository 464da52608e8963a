"""The one place that turns errors into exit codes and into words for people."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

import click

from weft.errors import ExitCode, UsageError, WeftError
from weft.settings.environment import Environment


def guarded(act: Callable[[], int], environment: Environment, args: Sequence[str]) -> int:
    """What `act` answers, or the exit code of what it raised, told on stderr."""
    try:
        code = act()
        sys.stdout.flush()
        return code
    except SystemExit:
        raise
    except BaseException as error:
        return _told(_innermost(error), environment, args)


def _told(error: BaseException, environment: Environment, args: Sequence[str]) -> int:
    match error:
        case KeyboardInterrupt() | click.Abort():
            return ExitCode.INTERRUPTED
        case BrokenPipeError():
            _drop_stdout()
            return ExitCode.OK
        case click.ClickException():
            _show_usage(error, environment)
            return ExitCode.USAGE
        case WeftError() if error.exit_code is not ExitCode.DEFECT:
            show_error(error, environment)
            return error.exit_code
        case _:
            return _defect(error, environment, args)


def _innermost(error: BaseException) -> BaseException:
    """What a group of tasks raised, where it was one thing."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def show_error(error: WeftError, environment: Environment) -> None:
    """`error: …` and `hint: …` on stderr; each problem of a bad input has its own `error:`."""
    first, *rest = map(_harmless, error.message.splitlines() or [""])
    prefix = label("error:", "red", environment)
    more = f"{prefix} " if isinstance(error, UsageError) else "  "
    _say(f"{prefix} {first}", *(f"{more}{line}" for line in rest))
    if error.hint:
        _say(f"{label('hint:', 'cyan', environment)} {_harmless(error.hint)}")


def _harmless(line: str) -> str:
    """Without what a terminal would act on, or could not print: messages quote files and arguments."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in line)


def label(text: str, colour: str, environment: Environment) -> str:
    if environment.wants_colour and sys.stderr.isatty():
        return click.style(text, fg=colour, bold=True)
    return text


def _show_usage(error: click.ClickException, environment: Environment) -> None:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "weft"
    hint = f"`{command} --help` shows what is possible"
    show_error(UsageError(error.format_message().rstrip("."), hint=hint), environment)


def _defect(error: BaseException, environment: Environment, args: Sequence[str]) -> int:
    # Only here: a defect is rare, and what its report needs is slow to import.
    from weft.cli.crash import without_secrets, write_crash_report

    summary = without_secrets(f"{type(error).__name__}: {error}".splitlines()[0], environment)
    report = write_crash_report(error, environment, args)
    where = f"the report is in `{report}`; please send it with what you did" if report else None
    defect = WeftError(f"a defect in Weft: {summary}", hint=where)
    show_error(defect, environment)
    return ExitCode.DEFECT


def _drop_stdout() -> None:
    """The reader is gone; keep the interpreter from complaining when it flushes at its end."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def _say(*lines: str) -> None:
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    sys.stderr.flush()
