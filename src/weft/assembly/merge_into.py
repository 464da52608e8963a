"""Where a repo's passed branches land."""

from __future__ import annotations

from collections.abc import Collection

from weft.errors import UsageError
from weft.model.ids import slug, title_slug
from weft.model.plan import MergeInto
from weft.settings.sections import Merge

PREFIX = "weft/"


def target_named(name: str) -> str:
    """The integration branch of a wave or run of that name."""
    return PREFIX + (title_slug(name) or slug(name))


def merge_into(settings: Merge, target: str) -> MergeInto:
    return MergeInto(target, settings.window, settings.repairs, settings.update_checkout)


def refuse_shared_target(target: str, branches: Collection[str | None]) -> None:
    """The target of a queue cannot be a job's own branch."""
    if target in branches:
        raise UsageError(f"`{target}` is the branch of an issue and the target too", hint="set another `merge.target`")
