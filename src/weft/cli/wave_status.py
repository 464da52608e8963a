"""`weft wave status`: the waves there are, repo by repo."""

from __future__ import annotations

from pathlib import Path

from weft.assembly.history import History, open_history
from weft.board.document import Document
from weft.board.times import iso_time
from weft.board.wave import RepoStand, repo_stands
from weft.cli.printing import print_json, print_text, stdout_glyphs
from weft.errors import ExitCode, UsageError
from weft.model.plan import Mode, Plan
from weft.model.spelling import closest
from weft.ports import RunRecord
from weft.settings.environment import Environment
from weft.terminal.wave_status import WaveStand, wave_status_text


def show_status(environment: Environment, name: str | None, *, everything: bool, as_json: bool) -> ExitCode:
    with open_history(environment) as history:
        found = _waves(history)
        if name is not None:
            found = _named(found, name)
        chosen = found if everything else _latest(found)
        waves = [_stand(history, record, plan) for record, plan in chosen]
    if as_json:
        print_json({"waves": [_document(wave) for wave in waves]})
    else:
        print_text(wave_status_text(waves, stdout_glyphs()))
    return ExitCode.OK


def _waves(history: History) -> list[tuple[RunRecord, Plan]]:
    """Newest first."""
    records = [record for record in history.records() if record.mode == Mode.WAVE.value]
    return [(record, plan) for record in records if (plan := history.plan(record.run)) is not None]


def _named(found: list[tuple[RunRecord, Plan]], name: str) -> list[tuple[RunRecord, Plan]]:
    """By the wave's name, or by its run's id."""
    chosen = [(record, plan) for record, plan in found if name in (plan.name, record.run)]
    if not chosen:
        known = list(dict.fromkeys(plan.name for _, plan in found))
        near = closest(name, known)
        listed = ", ".join(f"`{each}`" for each in known[:10])
        hint = f"there are {listed}" if known else "`weft wave run NAME` starts one"
        raise UsageError(f"Unknown wave `{name}`" + (f", did you mean `{near}`?" if near else ""), hint=hint)
    return chosen


def _latest(found: list[tuple[RunRecord, Plan]]) -> list[tuple[RunRecord, Plan]]:
    """All that have not ended, and of each wave its latest run."""
    seen: set[str] = set()
    chosen: list[tuple[RunRecord, Plan]] = []
    for record, plan in found:
        if record.ended_at is None or plan.name not in seen:
            chosen.append((record, plan))
        seen.add(plan.name)
    return chosen


def _stand(history: History, record: RunRecord, plan: Plan) -> WaveStand:
    view = history.view(record.run)
    files = [history.layout.handoff(record.run, repo.name) for repo in plan.repos]
    return WaveStand(
        plan.name, view, repo_stands(plan, view), [file if Path(file).exists() else None for file in files]
    )


def _document(wave: WaveStand) -> Document:
    view = wave.view
    return {
        "wave": wave.name,
        "run": view.run,
        "status": view.status.value,
        "started_at": iso_time(view.started_at),
        "ended_at": None if view.ended_at is None else iso_time(view.ended_at),
        "cap": view.cap,
        "paused": view.paused,
        "repos": [_repo(repo, file) for repo, file in zip(wave.repos, wave.handoffs, strict=True)],
    }


def _repo(repo: RepoStand, handoff: str | None) -> Document:
    return {
        "name": repo.name,
        "path": repo.path,
        "target": repo.target,
        "issues": repo.total,
        "done": repo.done,
        "merged": repo.merged,
        "queued": repo.queued,
        "active": repo.active,
        "parked": repo.parked,
        "failed": repo.failed,
        "left": repo.left,
        "handoff": handoff,
    }
