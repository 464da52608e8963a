"""`weft doctor` on GitHub: is there a token, and may it do what runs here need."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from weft.assembly.doctor_finding import PATIENCE, Finding, Health
from weft.assembly.github_planning import merge_mode
from weft.assembly.ground import open_ground, open_repository
from weft.errors import WeftError
from weft.settings.environment import Environment
from weft.settings.kinds import IssueOrigin, MergeMode
from weft.settings.load import Loaded

if TYPE_CHECKING:  # its client takes long to load
    from weft.assembly.github import Github

NAME = "github"
_WHERE = "give the token these permissions for the repo; a classic token needs the scope `repo`"


async def examine_github(environment: Environment, loaded: Loaded | None) -> list[Finding]:
    """One finding where settings have to do with GitHub, else none."""
    if loaded is None:
        return []
    try:
        async with asyncio.timeout(PATIENCE):
            return await _examine(environment, loaded)
    except TimeoutError:
        return [Finding(NAME, Health.PROBLEM, "GitHub did not answer in time", "look at the network")]
    except WeftError as error:
        return [Finding(NAME, Health.PROBLEM, error.message, error.hint)]


async def _examine(environment: Environment, loaded: Loaded) -> list[Finding]:
    settings = loaded.settings
    if settings.issues.source is not IssueOrigin.GITHUB and settings.run.merge is not MergeMode.PR:
        return []
    from weft.assembly.github import address_of, open_github
    from weft.engine.clock import SteadyClock

    repository = await open_repository(environment)
    ground = await open_ground(loaded, repository, repository.facts.name)
    publishes = await merge_mode(loaded, ground) is MergeMode.PR
    address = await address_of(settings.issues, repository)
    async with open_github(address, environment, SteadyClock(0.0), lambda text: None) as hub:
        return [await _rights(hub, issues=settings.issues.source is IssueOrigin.GITHUB, publishes=publishes)]


async def _rights(hub: Github, *, issues: bool, publishes: bool) -> Finding:
    rights = await hub.rights()
    who = f"{rights.full_name} with the token from {hub.token_origin}"
    if rights.archived and publishes:
        return Finding(NAME, Health.PROBLEM, f"{rights.full_name} is archived: nothing can be written there")
    if issues and not rights.has_issues:
        hint = "turn them on in the repo's settings on GitHub"
        return Finding(NAME, Health.PROBLEM, f"{rights.full_name} has its issues turned off", hint)
    missing = await hub.missing_rights(rights)
    if not issues:
        missing = [right for right in missing if not right.startswith("Issues")]
    if not publishes:
        missing = [right for right in missing if right.startswith("Issues")]
    if missing:
        return Finding(NAME, Health.PROBLEM, f"{who} lacks: {'; '.join(missing)}", _WHERE)
    return Finding(NAME, Health.OK, who)
