"""The repos of a wave, each with its own settings and with what the wave says otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from weft.assembly.ground import Ground, open_ground, open_repository
from weft.assembly.wave import Wave, folder_of
from weft.errors import UsageError
from weft.settings.environment import Environment
from weft.settings.load import Loaded, load_repo
from weft.settings.sections import RepoSettings, Settings
from weft.workspaces.repository import Repository

structs = msgspec.structs


async def open_grounds(wave: Wave, environment: Environment) -> list[Ground]:
    """In the wave's order; every problem of every repo is said at once."""
    repositories = await _repositories(wave, environment)
    _refuse_twins(wave, repositories)
    grounds: list[Ground] = []
    problems: list[UsageError] = []
    for said, repository in zip(wave.repos, repositories, strict=True):
        try:
            grounds.append(await _ground(said, repository, environment))
        except UsageError as error:
            problems.append(error)
    _refuse(problems)
    _refuse_same_names(grounds)
    _refuse_shared_locks(grounds, environment)
    return grounds


async def _repositories(wave: Wave, environment: Environment) -> list[Repository]:
    found: list[Repository] = []
    problems: list[UsageError] = []
    for place, said in enumerate(wave.repos):
        try:
            found.append(await open_repository(environment, folder_of(said, wave, environment)))
        except UsageError as error:
            where = f"{wave.listed_in}: repos[{place}].path = `{said.path}`"
            problems.append(UsageError(f"{where}: {error.message}", hint=error.hint))
    _refuse(problems)
    return found


async def _ground(said: RepoSettings, repository: Repository, environment: Environment) -> Ground:
    root = repository.facts.root
    loaded = load_repo(environment, root)
    settings = _overridden(loaded.settings, said)
    own = loaded.file is not None and loaded.file.is_relative_to(root)
    name = said.name or (settings.name if own else None) or repository.facts.name
    folder = root if said.issues else loaded.folder
    try:
        return await open_ground(_with(loaded, settings, folder), repository, name, root.parent)
    except UsageError as error:
        raise UsageError(f"repo `{name}`: {error.message}", hint=error.hint) from None


def _with(loaded: Loaded, settings: Settings, folder: Path) -> Loaded:
    return structs.replace(loaded, settings=settings, folder=folder)


def _overridden(settings: Settings, said: RepoSettings) -> Settings:
    gates = {name: value for name in ("test", "lint", "typecheck") if (value := getattr(said.gates, name)) is not None}
    return structs.replace(
        settings,
        run=structs.replace(settings.run, base=said.base or settings.run.base),
        issues=structs.replace(settings.issues, path=said.issues or settings.issues.path),
        gates=structs.replace(settings.gates, **gates),
    )


def _refuse(problems: Sequence[UsageError]) -> None:
    if problems:
        hint = next((error.hint for error in problems if error.hint), None)
        raise UsageError("\n".join(dict.fromkeys(error.message for error in problems)), hint=hint)


def _refuse_twins(wave: Wave, repositories: Sequence[Repository]) -> None:
    """One git repo by two paths would have two lanes and two queues for the same branches."""
    first: dict[Path, str] = {}
    for place, (said, repository) in enumerate(zip(wave.repos, repositories, strict=True)):
        other = first.setdefault(repository.facts.common_dir, said.path)
        if other is not said.path:
            where = f"{wave.listed_in}: repos[{place}].path = `{said.path}`"
            raise UsageError(
                f"{where} is the same git repo as `{other}`: `{repository.facts.root}`",
                hint="list it once",
            )


def _refuse_same_names(grounds: Sequence[Ground]) -> None:
    """Two repos of one name would share their jobs' keys."""
    counts = Counter(ground.name for ground in grounds)
    for name in (name for name, count in counts.items() if count > 1):
        where = " and ".join(f"`{ground.root}`" for ground in grounds if ground.name == name)
        raise UsageError(f"two repos of the wave are called `{name}`: {where}", hint="set `name` under `[[repos]]`")


def _refuse_shared_locks(grounds: Sequence[Ground], environment: Environment) -> None:
    """A lock is named by the issue alone: in one folder `api#1` and `ui#1` would be the same."""
    moved = environment.get("WEFT_LOCKS_DIR")
    if moved and len(grounds) > 1 and not environment.orchestrated and Path(moved).expanduser().is_absolute():
        raise UsageError(
            f"Invalid WEFT_LOCKS_DIR value: {moved}. Must be a relative path where several repos are worked on.",
            hint="a relative folder is meant from each repo's own",
        )
