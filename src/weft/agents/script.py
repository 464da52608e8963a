"""Checks a script for the scripted agent: everything wrong with it at once, before anything starts."""

from __future__ import annotations

import tomllib
from typing import Any

from weft.agents import scripted_program as program
from weft.agents.lines import LimitStatus, UsageLine
from weft.agents.scripted_program import Kind
from weft.pipelines.suggest import alternatives

_SESSION_KEYS = ("job", "phase", "attempt", "steps")
_USAGE_KEYS = UsageLine.__struct_fields__


def validate_script(text: str, where: str) -> list[str]:
    """Problems, each with the file and the place in it; empty when it can be played."""
    try:
        script = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return [f"{where}: not valid TOML: {error}"]
    unknown = [
        f"{where}: `{key}` is not a key here; {alternatives(key, ['session'])}" for key in script if key != "session"
    ]
    sessions = script.get("session")
    if not isinstance(sessions, list) or not sessions:
        return [*unknown, f"{where}: a script needs at least one `[[session]]` table"]
    checked = [f"{where}: {problem}" for n, one in enumerate(sessions, 1) for problem in _session(one, f"session {n}")]
    return unknown + checked + [f"{where}: {problem}" for problem in _repeats(sessions)]


def _session(session: object, at: str) -> list[str]:
    if not isinstance(session, dict):
        return [f"{at}: must be a table"]
    problems = [
        f"{at}: `{key}` is not a key here; {alternatives(key, _SESSION_KEYS)}"
        for key in session
        if key not in _SESSION_KEYS
    ]
    problems += [
        f"{at}: `{key}` must be a text" for key in ("job", "phase") if not isinstance(session.get(key, ""), str)
    ]
    attempt = session.get("attempt", 1)
    if isinstance(attempt, bool) or not isinstance(attempt, int) or attempt < 1:
        problems.append(f"{at}: `attempt` is `{attempt}`: must be a whole number from 1 up")
    steps = session.get("steps")
    if not isinstance(steps, list):
        return [*problems, f"{at}: `steps` must be a list of steps"]
    return problems + [problem for n, step in enumerate(steps, 1) for problem in _step(step, f"{at}, step {n}")]


def _repeats(sessions: list[Any]) -> list[str]:
    """Two sessions for the very same thing: one of them would never be played."""
    seen: dict[tuple[object, ...], int] = {}
    problems = []
    for number, session in enumerate(sessions, 1):
        if isinstance(session, dict):
            what = (str(session.get("job", "*")), str(session.get("phase", "*")), str(session.get("attempt")))
            first = seen.setdefault(what, number)
            if first != number:
                problems.append(f"session {number}: is for the same job, phase and attempt as session {first}")
    return problems


def _step(step: object, at: str) -> list[str]:
    if not isinstance(step, dict):
        return [f'{at}: must be a table such as `{{ say = "hello" }}`']
    names = [key for key in step if key in program.STEPS]
    if not names:
        first = next(iter(step), "")
        return [f"{at}: `{first}` is not a step; {alternatives(first, program.STEPS)}"]
    _, kind, needed, optional = program.STEPS[names[0]]
    kinds = {names[0]: kind, **needed, **optional, **program.CONDITIONS}
    problems = [
        f"{at}: `{key}` does not belong to `{names[0]}`; {alternatives(key, kinds)}" for key in step if key not in kinds
    ]
    problems += [f"{at}: `{names[0]}` needs `{key}`" for key in needed if key not in step]
    problems += [
        f"{at}: `{key}` is `{step[key]}`: {what}"
        for key in kinds
        if key in step and (what := _wrong(kinds[key], step[key]))
    ]
    return problems + [f"{at}: {problem}" for problem in _words(step)]


def _words(step: dict[str, Any]) -> list[str]:
    """Values that must be one of a few words."""
    problems = []
    if "fail" in step and step.get("class", "work") not in program.CLASSES:
        problems.append(f"`class` is `{step['class']}`; {alternatives(str(step['class']), program.CLASSES)}")
    statuses = [status.value for status in LimitStatus]
    if "rate_limit" in step and step["rate_limit"] not in statuses:
        problems.append(f"`rate_limit` is `{step['rate_limit']}`; {alternatives(str(step['rate_limit']), statuses)}")
    return problems


def _wrong(kind: Kind, value: object) -> str | None:
    """What a value of this kind must be, if it is not."""
    if kind is Kind.USAGE:
        return _usage(value)
    return None if _fits(kind, value) else f"must be {kind.value}"


def _fits(kind: Kind, value: object) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    match kind:
        case Kind.TEXT:
            return isinstance(value, str)
        case Kind.PATH:
            return isinstance(value, str) and _inside(value)
        case Kind.FLAG:
            return isinstance(value, bool)
        case Kind.TEXTS:
            return isinstance(value, list) and all(isinstance(one, str) for one in value)
        case Kind.STATUS:
            return whole and value in range(256)
        case Kind.NUMBER:
            return whole or (isinstance(value, float) and 0 <= value < 1e12)
        case _:
            return whole


def _usage(value: object) -> str | None:
    if not isinstance(value, dict) or not value.keys() <= set(_USAGE_KEYS):
        return f"must be a table of {', '.join(f'`{key}`' for key in _USAGE_KEYS)}"
    fits = all(isinstance(one, int | float) and not isinstance(one, bool) and one >= 0 for one in value.values())
    return None if fits else "must hold numbers"


def _inside(path: str) -> bool:
    return bool(path) and not path.startswith(("/", "~")) and ".." not in path.split("/")
