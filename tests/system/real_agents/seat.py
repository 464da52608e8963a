"""A place where a real agent CLI works against a made-up model: its folders, its environment, one session at a time.

A session is started and read as `weft run` does it: by the adapter, under the warden, its output in files.
"""

from __future__ import annotations

import asyncio
import json
import os
from itertools import count
from pathlib import Path
from typing import NamedTuple

import msgspec
from tests.support.model_answers import Model, Turn
from tests.support.model_server import ModelServer

from weft.agents.registry import make_agent, phase_problems
from weft.execution.attended import EndedBy, Vigils, attend
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job
from weft.model.outcome import SessionOutcome
from weft.model.phase import Phase, StepKind
from weft.model.plan import AgentKind, AgentSpec
from weft.ports import Earlier, SessionRequest
from weft.processes import Launch, Warden
from weft.processes.follow import tail

CODEX_CONFIG = """
model_provider = "made-up"

[model_providers.made-up]
name = "made-up"
base_url = "{address}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
stream_idle_timeout_ms = 60000
"""
GEMINI_SETTINGS = {"general": {"maxAttempts": 2, "retryFetchErrors": False}}
MODELS = {
    AgentKind.CLAUDE: None,
    AgentKind.CODEX: "made-up-model",
    AgentKind.GEMINI: "gemini-2.5-flash",
    AgentKind.OPENCODE: "made-up/m",
}
"""Codex gives a model it does not know plain tools, Gemini without a name asks another model which to take."""
GRACE = 5.0


class Came(NamedTuple):
    outcome: SessionOutcome
    transcript: str
    by: EndedBy
    turns: list[Turn]

    @property
    def words(self) -> str:
        assert self.outcome.failure is not None, self.outcome
        return self.outcome.failure.message


class Seat:
    def __init__(self, kind: AgentKind, bin_folder: Path, ground: Path, server: ModelServer) -> None:
        self.kind = kind
        self.ground = ground
        self.server = server
        self.work = ground / "work"
        self.work.mkdir()
        self._bin = bin_folder
        self._count = count(1)

    def environment(self, address: str) -> dict[str, str]:
        """As a user's shell would have it; the folders and keys of this agent, pointed at the server."""
        common = {"PATH": f"{self._bin}:{os.environ['PATH']}", "HOME": str(self.ground / "home"), "LANG": "C.UTF-8"}
        (self.ground / "home").mkdir(exist_ok=True)
        own = {
            AgentKind.CLAUDE: self._claude,
            AgentKind.CODEX: self._codex,
            AgentKind.GEMINI: self._gemini,
            AgentKind.OPENCODE: self._opencode,
        }
        return common | own[self.kind](address)

    def _claude(self, address: str) -> dict[str, str]:
        folder = str(self.ground / "claude")
        return {
            "ANTHROPIC_BASE_URL": address,
            "ANTHROPIC_API_KEY": "made-up",
            "CLAUDE_CONFIG_DIR": folder,
            "CLAUDE_CODE_MAX_RETRIES": "1",
        }

    def _codex(self, address: str) -> dict[str, str]:
        folder = self.ground / "codex"
        folder.mkdir(exist_ok=True)
        (folder / "config.toml").write_text(CODEX_CONFIG.format(address=address))
        return {"CODEX_HOME": str(folder), "OPENAI_API_KEY": "made-up"}

    def _gemini(self, address: str) -> dict[str, str]:
        folder = self.ground / "gemini"
        (folder / ".gemini").mkdir(parents=True, exist_ok=True)
        (folder / ".gemini" / "settings.json").write_text(json.dumps(GEMINI_SETTINGS))
        return {"GEMINI_CLI_HOME": str(folder), "GEMINI_API_KEY": "made-up", "GOOGLE_GEMINI_BASE_URL": address}

    def _opencode(self, address: str) -> dict[str, str]:
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{address}/v1", "apiKey": "made-up"},
            "models": {"m": {}},
        }
        folders = {f"XDG_{name}_HOME": str(self.ground / name.lower()) for name in ("DATA", "CONFIG", "STATE", "CACHE")}
        return folders | {"OPENCODE_CONFIG_CONTENT": json.dumps({"provider": {"made-up": provider}})}

    async def session(
        self,
        model: Model,
        *,
        prompt: str = "Please do it.",
        timeout: float = 100.0,
        stop: asyncio.Event | None = None,
        resume: Earlier | None = None,
        phase: Phase | None = None,
        vigils: Vigils | None = None,
        **options: object,
    ) -> Came:
        """One session to its end; keyword arguments change the phase."""
        address = self.server.serve(model)
        request = self.request(address, prompt, phase or writing(**options), resume)
        assert phase_problems(request.agent, request.phase) == []
        return await self.run(request, address, timeout, stop or asyncio.Event(), vigils)

    def request(self, address: str, prompt: str, phase: Phase, resume: Earlier | None = None) -> SessionRequest:
        number = next(self._count)
        folder = self.ground / f"session-{number}"
        folder.mkdir()
        (self.ground / "jobs").mkdir(exist_ok=True)
        (folder / "prompt.md").write_text(prompt)
        key = JobKey("shop", "1")
        return SessionRequest(
            attempt=AttemptId(RunId("r-1"), key, phase.name, number),
            job=Job(key, "Add login", lane="shop"),
            phase=phase,
            agent=AgentSpec(self.kind.value, self.kind, model=MODELS[self.kind]),
            prompt=prompt,
            workdir=self.work,
            prompt_file=folder / "prompt.md",
            issue_file=folder / "issue.md",
            environment=self.environment(address),
            folder=self.ground / "jobs" / f"{number}.agent",
            resume=resume,
        )

    async def run(
        self,
        request: SessionRequest,
        address: str,
        timeout: float,
        stop: asyncio.Event,
        vigils: Vigils | None = None,
    ) -> Came:
        """A request to its end, as the hands of a run do it."""
        agent = make_agent(self.kind)
        invocation = agent.invocation(request)
        for path, text in invocation.files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        out, err = request.prompt_file.with_name("out"), request.prompt_file.with_name("err")
        launch = Launch(
            invocation.argv, request.workdir, invocation.environment, stdout=out, stderr=err, stdin=invocation.stdin
        )
        reader = agent.reader(request)
        async with Warden() as warden:
            ended = await attend(
                warden,
                launch,
                on_line=reader.feed,
                timeout=timeout,
                grace=GRACE,
                stop=stop,
                vigils=vigils,
                gentle=invocation.gentle,
            )
        said = f"{tail(out, 64_000)}\n{tail(err, 64_000)}"
        outcome = reader.outcome(ended.exit.status, said)
        return Came(outcome, out.read_text("utf-8", "replace"), ended.by, self.server.turns(address))


def writing(**options: object) -> Phase:
    return msgspec.structs.replace(Phase("exec", (StepKind.SESSION,), writes=True), **options)


def reviewing(**options: object) -> Phase:
    return msgspec.structs.replace(Phase("qa", (StepKind.SESSION,), verdict=True), **options)
