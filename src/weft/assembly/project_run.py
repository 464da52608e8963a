"""Taking projects for a run: each is claimed, then looked at again, so that no two runs have one at once (PROJ-4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from weft.assembly.plan_projects import BEYOND, chosen
from weft.assembly.project_base import fetch_all
from weft.assembly.project_places import Place
from weft.assembly.project_tasks import Past
from weft.assembly.projects import Candidate, ProjectsAsk, Survey
from weft.model.ids import RunId
from weft.settings.environment import Environment
from weft.settings.load import Loaded
from weft.stores.memory import MemoryJournal
from weft.stores.project_claims import ProjectClaims, ProjectHolder
from weft.stores.sqlite import SqliteJournal


class ProjectRun:
    """What a run over projects is made of, step by step: look, take, give back."""

    def __init__(
        self,
        ask: ProjectsAsk,
        loaded: Loaded,
        environment: Environment,
        journal: SqliteJournal | MemoryJournal,
    ) -> None:
        self.ask = ask
        self.loaded = loaded
        self.environment = environment
        self._journal = journal
        self._claims = ProjectClaims(journal.path) if isinstance(journal, SqliteJournal) else None
        self._survey = self._fresh_survey()
        self.found: list[tuple[Place, Candidate]] = []
        """All projects as they were first looked at, whatever the limits."""

    async def fetch(self) -> list[str]:
        """Ask the remotes what is new there; answers what could not be asked."""
        return await fetch_all([place.path for place in self._survey.places()], self.environment)

    async def look(self) -> list[Candidate]:
        """As a run would take them now; nothing is claimed."""
        self.found = []
        for place in self._survey.places():
            candidate = await self._survey.look(place, [seen for _, seen in self.found])
            self.found.append((place, self._unlessheld_text(candidate)))
        return chosen([candidate for _, candidate in self.found], self.loaded.settings.schedule)

    async def take(self, run: RunId) -> list[Candidate]:
        """The same under claims: what another run has or has done meanwhile is left out with the reason."""
        taken: list[Candidate] = []
        for place, candidate in self.found:
            taken.append(await self._take(place, candidate, taken, run))
        return taken

    async def _take(self, place: Place, candidate: Candidate, taken: Sequence[Candidate], run: RunId) -> Candidate:
        if not candidate.eligible:
            return candidate
        lanes = {one.lane for one in taken if one.eligible}
        schedule = self.loaded.settings.schedule
        if not schedule.project_parallelism and candidate.lane not in lanes and len(lanes) >= schedule.max_projects:
            return candidate.left(BEYOND.format(limit=schedule.max_projects))
        assert self._claims is not None
        holder = self._claims.take(candidate.lane, run)
        if holder is not None:
            return candidate.left(held_text(holder))
        again = await self._fresh_survey().look(place, taken)
        if not again.eligible and candidate.lane not in lanes:
            self._claims.give_back(candidate.lane, run)
        return again

    @contextmanager
    def giving_back(self, run: RunId) -> Iterator[None]:
        """Whatever the run has taken is free at the end."""
        try:
            yield
        finally:
            if self._claims is not None:
                for lane in {candidate.lane for _, candidate in self.found if candidate.lane}:
                    self._claims.give_back(lane, run)

    def _fresh_survey(self) -> Survey:
        return Survey(self.ask, self.loaded, self.environment, Past.of(self._journal))

    def _unlessheld_text(self, candidate: Candidate) -> Candidate:
        holder = self._claims.holder(candidate.lane) if self._claims and candidate.eligible else None
        return candidate if holder is None else candidate.left(held_text(holder))


def held_text(holder: ProjectHolder) -> str:
    return f"run {holder.run} has it in hand (PID {holder.process.pid})"
