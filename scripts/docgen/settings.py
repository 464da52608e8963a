"""Settings, from the sections' own docstrings and rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

import msgspec
from scripts.docgen.markdown import code, member_docs, own_docstring, table

from weft.cli import registry
from weft.model.sizes import size_text
from weft.pipelines.duration import parse_duration
from weft.settings import sections
from weft.settings.rules import DURATION, PAUSE, SIZE
from weft.settings.schema import Leaf, NamedTables, Shape, Table, TableList, shapes
from weft.settings.sections import Section, Settings
from weft.settings.variables import NOT_SETTINGS, variables

NOT_YET: set[str] = set()
"""Sections that are read and checked, for parts of Weft that this version does not have."""
NOT_YET_KEYS = {
    ("phases", "approval_mode"): "Agents of kind `command` and `scripted` take no notice of it.",
    ("phases", "sandbox_mode"): "Agents of kind `command` and `scripted` take no notice of it.",
}

_COMMAND = re.compile(r"`weft ([a-z]+)`")

OTHER_VARIABLES = {
    "WEFT_HOME": "The state folder; default: `$XDG_STATE_HOME/weft` or `~/.local/state/weft`.",
    "WEFT_LOCKS_DIR": "The folder of locks; default: `.weft/locks`. A relative one is meant from the main checkout.",
    "WEFT_ORCHESTRATOR": "`1`: the caller keeps two from working on one issue; no lock is taken or honoured.",
    "XDG_STATE_HOME": "Where the state folder is, unless `WEFT_HOME` says it.",
    "XDG_CONFIG_HOME": "Where the user's settings are: `weft/config.toml` in it; default: `~/.config`.",
    "NO_COLOR": "Set to anything: no colour.",
    "TERM": "`dumb`: no colour.",
    "WEFT_RUN": "Given to agents: the run's id.",
    "WEFT_JOB": "Given to agents: the job's key, such as `shop#101`.",
    "WEFT_PHASE": "Given to agents: the phase's name.",
    "WEFT_ATTEMPT": "Given to agents and gates: the attempt's id. Leave it set: a dead run is found by it.",
    "WEFT_WORKDIR": "Given to agents and gates: the workspace.",
    "WEFT_BASE_COMMIT": "Given to gates: the commit that the repo's branches start from.",
    "WEFT_ISSUE_FILE": "Given to agents: a file with the issue's title and text.",
    "WEFT_PROMPT_FILE": "Given to agents: a file with the prompt.",
}
RESERVED = {f"WEFT_{name}" for name in ("MODEL",)}
"""Names that are kept free and mean nothing yet."""


def every_setting() -> str:
    return "\n\n".join(_section(title, section, top) for title, section, top in _sections())


def other_variables() -> str:
    """Those that are not settings; each of Weft's own has its line."""
    missing = NOT_SETTINGS - OTHER_VARIABLES.keys() - RESERVED
    assert not missing, f"no words for {sorted(missing)}"
    return table(("variable", "meaning"), [(code(name), text) for name, text in OTHER_VARIABLES.items()])


def _sections() -> Iterator[tuple[str, type[Section], str]]:
    yield "Top level", Settings, ""
    for name, shape in shapes(Settings).items():
        if isinstance(shape, Leaf):
            continue
        yield _title(name, shape), shape.section, name
        for inner, below in shapes(shape.section).items():
            if isinstance(below, Table):
                named = "" if isinstance(shape, TableList) else ".<name>"
                yield f"[{name}{named}.{inner}]", below.section, name


def _title(name: str, shape: Shape) -> str:
    match shape:
        case NamedTables():
            return f"[{name}.<name>]"
        case TableList():
            return f"[[{name}]]"
        case _:
            return f"[{name}]"


def _section(title: str, section: type[Section], top: str) -> str:
    about = "" if section is Settings else _COMMAND.sub(_if_there, own_docstring(section))
    later = " **Not yet**: read and checked, without effect in this version." if top in NOT_YET else ""
    rows = [
        _row(section, name, shape.rule.allowed, top)
        for name, shape in shapes(section).items()
        if isinstance(shape, Leaf)
    ]
    heading = f"## {code(title) if top else title}"
    return f"{heading}\n\n{about}{later}\n\n{table(('key', 'value', 'default', 'meaning', 'variable'), rows)}"


def _if_there(found: re.Match[str]) -> str:
    """A command that this version does not have is spoken of, but not as one to type."""
    return found[0] if found[1] in registry.names() else f"weft {found[1]}"


def _row(section: type[Section], name: str, allowed: str, top: str) -> tuple[str, ...]:
    documented = member_docs(sections)
    meaning = next(documented[base.__name__, name] for base in section.__mro__ if (base.__name__, name) in documented)
    note = NOT_YET_KEYS.get((top, name), "")
    return code(name), allowed, _default(section, name), f"{meaning} {note}", _variable(top, name)


def _default(section: type[Section], name: str) -> str:
    field = next(field for field in msgspec.structs.fields(section) if field.name == name)
    if field.required:
        return "(must be set)"
    shape = shapes(section)[name]
    timed = isinstance(shape, Leaf) and shape.rule in (DURATION, PAUSE)
    sized = isinstance(shape, Leaf) and shape.rule is SIZE
    return _shown(field.default, timed=timed, sized=sized)


def _shown(value: object, *, timed: bool, sized: bool = False) -> str:
    if value is None:
        return ""
    if sized and isinstance(value, int):
        return code(f'"{size_text(value).replace(" ", "")}"')
    if timed and isinstance(value, float):
        return code(f'"{_duration(value)}"')
    return code(msgspec.json.encode(value.value if isinstance(value, Enum) else value).decode())


def _duration(seconds: float) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        if seconds >= size and seconds % size == 0:
            text = f"{seconds / size:g}{unit}"
            assert parse_duration(text) == seconds
            return text
    return f"{seconds:g}s"


def _variable(top: str, name: str) -> str:
    path = (top, name) if top else (name,)
    names = sorted((variable for variable, (key, _) in variables().items() if key == path), key=len)
    return ", ".join(code(each) for each in names)
