"""Where a repo's passed branches land."""

from __future__ import annotations

from weft.errors import UsageError
from weft.model.ids import slug, title_slug
from weft.model.plan import MergeInto
from weft.settings.sections import Merge
from weft.workspaces.repository import Repository

PREFIX = "weft/"


def target_named(name: str) -> str:
    """The integration branch of a wave or run of that name."""
    return PREFIX + (title_slug(name) or slug(name))


def merge_into(settings: Merge, target: str) -> MergeInto:
    return MergeInto(target, settings.window, settings.repairs, settings.update_checkout)


async def refuse_impossible_target(repository: Repository, target: str, branches: set[str | None]) -> None:
    """A target that git cannot make, or that is a job's own branch."""
    if target in branches:
        raise UsageError(f"`{target}` is the branch of an issue and the target too", hint="set another `merge.target`")
    await repository.check_branch_prefix(f"{target.rpartition('/')[0]}/" if "/" in target else "weft/")
    await repository.check_branch(target)
