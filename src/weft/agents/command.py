"""Any program as an agent: `[agents.mine]` with `kind = "command"` and its argv."""

from __future__ import annotations

import re

from weft.agents.environment import forbidden, session_environment
from weft.agents.jsonl_reader import JsonlReader
from weft.agents.text_reader import TextReader
from weft.errors import ProcessError
from weft.model.phase import Phase
from weft.model.plan import AgentSpec, OutputFormat, PromptVia
from weft.pipelines.suggest import alternatives
from weft.ports import Invocation, Reader, SessionRequest

PLACEHOLDERS = ("phase", "job", "run", "attempt", "model", "workdir", "prompt_file", "session")

_PLACEHOLDER = re.compile(r"\{\{(?P<literal>[a-z_]+)\}\}|(?<!\$)\{(?P<name>[a-z_]+)\}")
"""`${name}` is the shell's, and `{{name}}` stands for `{name}`."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SESSION = "{session}"
_LONGEST_ARGUMENT = 120 * 1024
"""Linux takes 128 KiB in one argument, whatever the sum of all may be."""


class CommandAgent:
    def invocation(self, request: SessionRequest) -> Invocation:
        values = _values(request)
        argv = tuple(_filled(argument, values) for argument in request.agent.argv)
        via = request.agent.prompt
        if via is PromptVia.ARG:
            argv = (*argv, _as_argument(request))
        stdin = request.prompt_file if via is PromptVia.STDIN else None
        return Invocation(argv=argv, environment=session_environment(request), stdin=stdin)

    def reader(self, request: SessionRequest) -> Reader:
        if request.agent.output is OutputFormat.JSONL:
            return JsonlReader(request.phase)
        return TextReader(request.phase)

    def resumes(self, spec: AgentSpec) -> bool:
        """Where its command line takes the session's id, which it must have told by a `started` line."""
        return spec.output is OutputFormat.JSONL and any(_SESSION in argument for argument in spec.argv)


def validate(spec: AgentSpec) -> list[str]:
    """Everything wrong with it, for a message that already names file and agent."""
    problems = [] if spec.argv and spec.argv[0].strip() else ['`argv` must name a program, such as `["./agent.sh"]`']
    for argument in spec.argv:
        names = [found["name"] for found in _PLACEHOLDER.finditer(argument)]
        problems += [_unknown(name, argument) for name in names if name and name not in PLACEHOLDERS]
        if "\0" in argument:
            problems.append("`argv` holds a NUL character, which no program can be given")
    problems += environment_problems(spec)
    if spec.script is not None:
        problems.append('`script` means nothing for an agent of kind `command`; hint: `kind = "scripted"`')
    return problems


def refusals(spec: AgentSpec, phase: Phase) -> list[str]:
    return []


def cautions(spec: AgentSpec, phase: Phase) -> list[str]:
    """How far a program of one's own goes is up to it; what it is not even told is said."""
    untold = {"max_turns": phase.max_turns, "max_tokens": phase.max_tokens, "system_prompt": phase.system_prompt}
    return [
        f"`{name}` has no effect on an agent of kind `{spec.kind.value}`"
        for name, value in untold.items()
        if value is not None
    ]


def environment_problems(spec: AgentSpec) -> list[str]:
    """Names in `env` that are none, or that no agent ever gets."""
    problems = [
        f"`env` holds `{name}`: not the name of a variable" for name in spec.env if not _VARIABLE.fullmatch(name)
    ]
    return problems + [
        f"`env` names `{name}`, which agents never get; hint: pass a token of its own under another name"
        for name in spec.env
        if forbidden(name)
    ]


def _unknown(name: str, argument: str) -> str:
    said = alternatives(name, PLACEHOLDERS)
    escaped = f"`{{{{{name}}}}}` stands for the characters"
    return f"`argv` holds `{argument}`: unknown placeholder `{{{name}}}`; {said}; {escaped}"


def _values(request: SessionRequest) -> dict[str, str]:
    return {
        "phase": request.phase.name,
        "job": str(request.job.key),
        "run": str(request.attempt.run),
        "attempt": str(request.attempt),
        "model": request.phase.model or request.agent.model or "",
        "workdir": str(request.workdir),
        "prompt_file": str(request.prompt_file),
        "session": request.resume.session_id if request.resume else "",
    }


def _filled(argument: str, values: dict[str, str]) -> str:
    """What is filled in is not looked at again."""

    def fill(found: re.Match[str]) -> str:
        return f"{{{found['literal']}}}" if found["literal"] else values.get(found["name"], found[0])

    return _PLACEHOLDER.sub(fill, argument)


def _as_argument(request: SessionRequest) -> str:
    size = len(request.prompt.encode())
    if size > _LONGEST_ARGUMENT:
        raise ProcessError(
            f"the prompt of {request.attempt} has {size} bytes, more than fit in an argument",
            hint=f'set `prompt = "stdin"` or `prompt = "file"` under `[agents.{request.agent.name}]`',
        )
    return request.prompt
