"""The embedded agent: a small program that does what a script says. For the demo, tests and dry runs."""

from __future__ import annotations

import sys
from pathlib import Path

from weft.agents.command import cautions as cautions
from weft.agents.command import environment_problems
from weft.agents.command import refusals as refusals
from weft.agents.environment import session_environment
from weft.agents.jsonl_reader import JsonlReader
from weft.agents.script import validate_script
from weft.model.plan import AgentSpec
from weft.ports import Invocation, Reader, SessionRequest

PROGRAM = Path(__file__).with_name("scripted_program.py")


class ScriptedAgent:
    def invocation(self, request: SessionRequest) -> Invocation:
        attempt = request.attempt
        key = request.job.key
        # Isolated and without site-packages: the program needs neither, and starts in half the time.
        argv = (sys.executable, "-I", "-S", str(PROGRAM), request.agent.script or "")
        about = (str(attempt.run), str(key), key.id, request.phase.name, str(attempt.number))
        return Invocation(argv=argv + about, environment=session_environment(request), stdin=request.prompt_file)

    def reader(self, request: SessionRequest) -> Reader:
        return JsonlReader(request.phase)

    def resumes(self, spec: AgentSpec) -> bool:
        return False


def validate(spec: AgentSpec) -> list[str]:
    """Everything wrong with its settings and its script."""
    return environment_problems(spec) + _script_problems(spec)


def _script_problems(spec: AgentSpec) -> list[str]:
    if not spec.script:
        return ['`script` must name the file that says what the agent does; hint: `script = "agent-script.toml"`']
    try:
        text = Path(spec.script).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return [f"`script` is `{spec.script}`: it cannot be read: {error}"]
    return validate_script(text, spec.script)
