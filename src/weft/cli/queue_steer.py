"""`weft queue hold`, `release`, `remove`: asked of the run under way."""

from __future__ import annotations

from weft.assembly.history import History, open_history
from weft.cli.chosen import job_of_run
from weft.cli.queue_look import state_of
from weft.cli.steering import ask, run_to_steer, tell
from weft.errors import UsageError
from weft.model.events import AnyEvent, QueueHoldSet, QueueRemoveRequested
from weft.model.ids import JobKey, RunId
from weft.model.spelling import closest
from weft.ports import ControlRequest, RequestKind, RunRecord
from weft.scheduler.merge_queue import ItemState
from weft.scheduler.state import State
from weft.scheduler.why import why
from weft.settings.environment import Environment

MERGING = "`weft run ISSUE --merge queue` and `weft wave run` start one that merges"


def set_hold(environment: Environment, repo: str | None, run: str | None, *, held: bool, as_json: bool) -> None:
    word, kind = ("hold", RequestKind.QUEUE_HOLD) if held else ("release", RequestKind.QUEUE_RELEASE)
    with open_history(environment) as history:
        record = run_to_steer(history, run, " ".join(filter(None, ("weft queue", word, repo))), MERGING)
        repos = _repos(history, record, repo)
        view = ask(history, record.run, ControlRequest(kind, repo=repo), _Awaited(repos, held=held))
    what = f"the merge queue of {', '.join(repos)} " + ("is held" if held else "goes on")
    tell(view, what, as_json=as_json, more={"repos": repos, "held": held})


class _Awaited:
    """Whether the request holds for every queue that it was meant for."""

    def __init__(self, repos: list[str], *, held: bool) -> None:
        self._left = set(repos)
        self._held = held

    def __call__(self, event: AnyEvent) -> bool:
        if isinstance(event, QueueHoldSet) and event.held is self._held:
            self._left.discard(event.repo)
        return not self._left


def remove(environment: Environment, job: str, run: str | None, *, as_json: bool) -> None:
    with open_history(environment) as history:
        record = run_to_steer(history, run, f"weft queue remove {job}", MERGING)
        key = job_of_run(history, record, job).job
        _refuse_impossible(state_of(history, record.run), key, record.run)
        request = ControlRequest(RequestKind.QUEUE_REMOVE, job=key)
        view = ask(
            history, record.run, request, lambda event: isinstance(event, QueueRemoveRequested) and event.job == key
        )
        taken = state_of(history, record.run).job(key).item is None
    landed = view.jobs[key].merged
    what = f"{key} has landed meanwhile" if landed else f"{key} is out of the merge queue; its branch is kept"
    if not taken:
        what = f"{key} is landing already"
    tell(view, what, as_json=as_json, more={"job": str(key), "removed": taken and not landed})


def _repos(history: History, record: RunRecord, repo: str | None) -> list[str]:
    plan = history.plan(record.run)
    known = [each.name for each in plan.repos if each.merge] if plan else []
    if not known:
        raise UsageError(f"Run {record.run} has no merge queue", hint=MERGING)
    if repo is None:
        return known
    if repo not in known:
        near = closest(repo, known)
        meant = f", did you mean `{near}`?" if near else ""
        listed = ", ".join(f"`{name}`" for name in known)
        raise UsageError(f"Run {record.run} has no merge queue of `{repo}`{meant}", hint=f"it has those of {listed}")
    return [repo]


def _refuse_impossible(state: State, key: JobKey, run: RunId) -> None:
    item = state.job(key).item
    if item is None:
        hint = f"`weft cancel {key}` stops it" if state.job(key).status is None else f"`weft report {run}` shows it"
        raise UsageError(f"{key} is not in the merge queue: it {why(state, key)}", hint=hint)
    if item.state is ItemState.LANDING:
        raise UsageError(f"{key} is landing already", hint=f"`weft queue list --run {run}` shows when it has")
