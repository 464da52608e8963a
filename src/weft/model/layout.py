"""Where things are in the state folder. Strings only: whoever touches the disk makes paths of them."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from weft.model.ids import AttemptId, JobKey, RunId, unique_slug
from weft.model.phase import StepKind


class Layout(msgspec.Struct, frozen=True):
    """`root` is the state folder. Names are stable: after a crash the same attempt has the same files."""

    root: str

    @property
    def database(self) -> str:
        return f"{self.root}/weft.db"

    @property
    def runs(self) -> str:
        return f"{self.root}/runs"

    def run(self, run: RunId) -> str:
        return _run_folder(self.root, run)

    def claim(self, run: RunId) -> str:
        """Locked by the process that has the run."""
        return f"{self.run(run)}/claim"

    def handoff(self, run: RunId, repo: str) -> str:
        """What a wave hands over to the people of a repo."""
        return f"{self.run(run)}/handoff-{unique_slug(repo)}.md"

    def job(self, run: RunId, job: JobKey) -> str:
        return _job_folder(self.root, run, job)

    def transcript(self, attempt: AttemptId, step: StepKind) -> str:
        return f"{self._step(attempt, step)}.log"

    def stderr(self, attempt: AttemptId, step: StepKind) -> str:
        return f"{self._step(attempt, step)}.err"

    def status(self, attempt: AttemptId, step: StepKind) -> str:
        """How the step's process ended, as the one who started it saw it."""
        return f"{self._step(attempt, step)}.status"

    def gate(self, attempt: AttemptId, gate: str) -> str:
        """What one gate printed."""
        return f"{self._attempt(attempt)}.gate.{unique_slug(gate)}.log"

    def gate_again(self, attempt: AttemptId, gate: str) -> str:
        """What it printed when it was run once more on the same tree."""
        return f"{self._attempt(attempt)}.gate.{unique_slug(gate)}.again.log"

    def prompt(self, attempt: AttemptId) -> str:
        return f"{self._attempt(attempt)}.prompt.md"

    def issue(self, attempt: AttemptId) -> str:
        return f"{self._attempt(attempt)}.issue.md"

    def agent_files(self, attempt: AttemptId) -> str:
        """What the agent's program is given besides its prompt."""
        return f"{self._attempt(attempt)}.agent"

    def output(self, attempt: AttemptId) -> str:
        """The answer, where that is not all the agent printed."""
        return f"{self._attempt(attempt)}.output.txt"

    def outcome(self, attempt: AttemptId) -> str:
        """What came of it, written once the session's process was gone."""
        return f"{self._attempt(attempt)}.outcome.json"

    def _attempt(self, attempt: AttemptId) -> str:
        return _attempt_files(self.root, attempt)

    def _step(self, attempt: AttemptId, step: StepKind) -> str:
        return f"{self._attempt(attempt)}.{step.value}"


# Names are asked for many times while a session is under way, and making one costs more than all else about it.


@lru_cache(maxsize=256)
def _run_folder(root: str, run: RunId) -> str:
    return f"{root}/runs/{unique_slug(run)}"


@lru_cache(maxsize=1024)
def _job_folder(root: str, run: RunId, job: JobKey) -> str:
    return f"{_run_folder(root, run)}/{job.slug}"


@lru_cache(maxsize=1024)
def _attempt_files(root: str, attempt: AttemptId) -> str:
    return f"{_job_folder(root, attempt.run, attempt.job)}/{unique_slug(attempt.phase)}-{attempt.number}"
