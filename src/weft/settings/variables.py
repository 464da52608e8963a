"""Settings from environment variables: `WEFT_<SECTION>_<KEY>`, and `WEFT_<KEY>` for what is under `[run]`."""

from __future__ import annotations

from functools import cache

from weft.model.spelling import closest
from weft.settings.check import Checked, check_leaf
from weft.settings.environment import Environment
from weft.settings.problem import KeyPath, Origin, OriginKind
from weft.settings.rules import Rule
from weft.settings.schema import leaves

PREFIX = "WEFT_"
NOT_SETTINGS = frozenset(
    f"{PREFIX}{name}"
    for name in (
        *("HOME", "ORCHESTRATOR", "LOCKS_DIR"),
        # What an agent finds in its environment: Weft may be started by one.
        *("RUN", "JOB", "PHASE", "ATTEMPT", "WORKDIR", "ISSUE_FILE", "PROMPT_FILE", "MODEL", "BASE_COMMIT"),
    )
)
"""Variables of Weft's that are no settings."""


SECRETS = ("_TOKEN", "_SECRET", "_PASSWORD", "_API_KEY")
"""Ends of names of what is never a setting, and never to be shown."""


@cache
def variables() -> dict[str, tuple[KeyPath, Rule]]:
    """Each variable, the key it sets and that key's rule."""
    found: dict[str, tuple[KeyPath, Rule]] = {}
    for key, rule in leaves():
        found[PREFIX + "_".join(key).upper()] = (key, rule)
        if key[0] == "run":
            found[PREFIX + key[-1].upper()] = (key, rule)
    return found


def check_variables(environment: Environment) -> list[Checked]:
    """One answer for each variable that is set; an empty one counts as not set."""
    known = variables()
    names = sorted(name for name in environment.variables if name.startswith(PREFIX) and environment.get(name))
    return [_check(name, environment.variables[name]) for name in names if name in known or _is_meant(name)]


def _check(name: str, text: str) -> Checked:
    checked = Checked(Origin(OriginKind.ENVIRONMENT, name))
    if name in variables():
        key, rule = variables()[name]
        check_leaf(checked, key, rule, rule.from_text(text.strip()))
    else:
        near = closest(name, variables())
        value = variables()[near][1].shown(text) if near else text
        checked.problems.append(f"environment: {name} = {value}: unknown variable, did you mean `{near}`?")
    return checked


def _is_meant(name: str) -> bool:
    """Whether an unknown variable looks like a setting that was misspelt; others are left alone."""
    if name in NOT_SETTINGS or name.endswith(SECRETS):
        return False
    near = closest(name.removeprefix(PREFIX), [known.removeprefix(PREFIX) for known in variables()])
    return near is not None and abs(len(near) + len(PREFIX) - len(name)) <= 2
