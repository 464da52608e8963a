"""Recorded sessions of the real agent CLIs: what each printed, how it ended, what was made."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from weft.agents.registry import make_agent
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job
from weft.model.outcome import SessionOutcome
from weft.model.phase import Phase, StepKind
from weft.model.plan import AgentKind, AgentSpec
from weft.ports import Earlier, SessionRequest

FOLDER = Path(__file__).parents[1] / "fixtures" / "agents"
TAIL = 64_000


class Recorded(NamedTuple):
    cli: str
    scenario: str

    @property
    def name(self) -> str:
        return f"{self.cli}/{self.scenario}"

    @property
    def stdout(self) -> bytes:
        return (FOLDER / self.cli / f"{self.scenario}.jsonl").read_bytes()

    @property
    def stderr(self) -> str:
        file = FOLDER / self.cli / f"{self.scenario}.stderr"
        return file.read_text("utf-8", errors="replace") if file.exists() else ""

    @property
    def meta(self) -> dict[str, Any] | None:
        """Its command line, exit status and files; some were recorded without."""
        file = FOLDER / self.cli / f"{self.scenario}.meta.json"
        found: dict[str, Any] | None = json.loads(file.read_text("utf-8")) if file.exists() else None
        return found

    def outcome(self, exit_status: int, *, verdict: bool = False, resume: Earlier | None = None) -> SessionOutcome:
        """What its adapter makes of it."""
        asked = request(self.cli, verdict=verdict, resume=resume)
        reader = make_agent(asked.agent.kind).reader(asked)
        for line in self.stdout.split(b"\n"):
            reader.feed(line)
        out = self.stdout[-TAIL:].decode("utf-8", "replace")
        return reader.outcome(exit_status, f"{out.rstrip()}\n{self.stderr}")


def recorded() -> list[Recorded]:
    return [Recorded(file.parent.name, file.stem) for file in sorted(FOLDER.glob("*/*.jsonl"))]


def expected() -> dict[str, dict[str, Any]]:
    """The table of what each must come to, by scenario."""
    table = tomllib.loads((FOLDER / "expected.toml").read_text("utf-8"))
    return {f"{cli}/{scenario}": row for cli, rows in table.items() for scenario, row in rows.items()}


def request(cli: str, *, verdict: bool = False, resume: Earlier | None = None) -> SessionRequest:
    key = JobKey("shop", "1")
    here = Path("/nowhere")
    return SessionRequest(
        attempt=AttemptId(RunId("r-1"), key, "exec", 1),
        job=Job(key, "Add login", lane="shop"),
        phase=Phase("exec", (StepKind.SESSION,), verdict=verdict, writes=not verdict),
        agent=AgentSpec(cli, AgentKind(cli)),
        prompt="",
        workdir=here,
        prompt_file=here / "prompt.md",
        issue_file=here / "issue.md",
        environment={},
        resume=resume,
    )
