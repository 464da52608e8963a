"""What a user should know before a run starts, or while looking at one. On stderr; nothing is changed."""

from __future__ import annotations

from collections.abc import Container, Iterable

from weft.assembly.agents import half_measures
from weft.assembly.lock_place import lock_folders, lock_place, network_warnings
from weft.assembly.locks import folder_of
from weft.assembly.spent import unpriced_warnings
from weft.cli.printing import note
from weft.errors import UsageError
from weft.locks.checkout import find_checkout
from weft.locks.looking import held, list_locks
from weft.locks.messages import locked_by
from weft.locks.state import LockState
from weft.model.phase import StepKind
from weft.model.plan import Plan
from weft.settings.environment import Environment
from weft.settings.load import load

NO_GATES = (
    "warning: no gates are set or found in `{repo}`, so nothing but the review checks the work "
    "(hint: set `test` under `[gates]` in weft.toml)"
)


def warn_before(plan: Plan) -> None:
    """Before a run: gates that are not there, what agents cannot do, locks that cannot be relied on."""
    wants_gates = any(StepKind.GATES in phase.steps for line in plan.pipelines for phase in line.phases)
    for repo in plan.repos:
        if (wants_gates or repo.merge) and not repo.gates:
            note(NO_GATES.format(repo=repo.name))
    for warning in [*half_measures(plan), *network_warnings(plan), *unpriced_warnings(plan)]:
        note(f"warning: {warning}")


def warn_of_plan_locks(plan: Plan) -> None:
    """RUN-19: of a plan's jobs, those that another works on."""
    locked = [repo for repo in plan.repos if repo.locks is not None]
    for repo, folder in zip(locked, lock_folders(plan), strict=False):  # none where no lock is taken
        names = [job.key.id for job in plan.jobs if job.key.repo == repo.name]
        _tell(held(folder, names), "" if len(plan.repos) == 1 else f"{repo.name}: ")


def warn_of_locks(environment: Environment, known_runs: Container[str]) -> None:
    """LOCK-3: of this repo, what others than the runs that are shown work on."""
    checkout = find_checkout(environment.folder)
    if checkout is None or environment.orchestrated:
        return
    try:
        place = lock_place(load(environment).settings.locks, environment, checkout.root)
    except UsageError:
        return  # whoever only looks is not stopped by settings that are wrong
    found = [state for state in list_locks(folder_of(place)) if state.held]
    _tell(state for state in found if state.holder is None or state.holder.run not in known_runs)


def _tell(states: Iterable[LockState], where: str = "") -> None:
    for state in states:
        note(f"warning: {where}{locked_by(state)}")
