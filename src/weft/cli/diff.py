"""`weft diff JOB`: what a job changed."""

from __future__ import annotations

import asyncio
import sys

import click
import msgspec

from weft.assembly.history import open_history
from weft.assembly.work_of_job import Work, repository_of
from weft.cli.caller import pass_environment
from weft.cli.printing import note, print_json
from weft.cli.worked import chosen_work
from weft.errors import UsageError
from weft.settings.environment import Environment
from weft.terminal.plain import plain
from weft.workspaces.repository import Repository


class Changes(msgspec.Struct, frozen=True):
    of: str
    """The branch, commit or ref whose work it is."""
    stat: str
    patch: bytes


@click.command(name="diff")
@click.argument("job", metavar="JOB")
@click.option("--run", metavar="RUN", help="The run that is meant (default: the latest that worked on it).")
@click.option("--stat", is_flag=True, help="Only which files changed, and how much.")
@click.option("--saved", is_flag=True, help="What was saved from its workspace instead of what is on its branch.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, job: str, run: str | None, stat: bool, saved: bool, as_json: bool) -> None:
    """Show what a job changed: its branch against the commit it started from.

    Of a job that the merge queue sent back: against the target as merged in, so that others' changes do not show.

    JOB is 101, #101 or shop#101. Works for failed and running jobs too. What was not committed when a job ended is on
    a saved ref; --saved shows that.

    \b
    Examples:
      weft diff 101
      weft diff 101 --stat
      weft diff shop#101 --saved | less
    """
    with open_history(environment) as history:
        work = chosen_work(history, environment, job, run)
    changes = asyncio.run(_changes(work, environment, saved=saved))
    if as_json:
        print_json(_document(work, changes))
        return
    _print(changes.stat.encode("utf-8", "surrogateescape") if stat else changes.patch)
    _hint(work, changes, saved=saved)


async def _changes(work: Work, environment: Environment, *, saved: bool) -> Changes:
    repository = await repository_of(work, environment)
    of = await _saved_ref(work, repository) if saved else await _tip(work, repository)
    return Changes(of, await repository.diff_stat(of, work.base), await repository.diff(of, work.base))


async def _tip(work: Work, repository: Repository) -> str:
    """The branch; where it is gone, the commit that the journal remembers."""
    if await repository.branch_exists(work.branch):
        return work.branch
    if work.commit is not None and await repository.resolve(work.commit):
        return work.commit
    hint = f"`weft diff {work.job} --saved` shows what was saved" if work.saved else None
    raise UsageError(f"the branch `{work.branch}` of {work.job} is gone, and so is its last commit", hint=hint)


async def _saved_ref(work: Work, repository: Repository) -> str:
    for ref in reversed(work.saved):
        if await repository.resolve(ref):
            return ref
    raise UsageError(f"nothing of {work.job} was saved in run {work.run}", hint=f"`weft diff {work.job}`")


def _print(text: bytes) -> None:
    """As git gave it; on a terminal without control characters, since agents wrote it."""
    if sys.stdout.isatty():
        for line in text.decode("utf-8", "replace").splitlines():
            click.echo(plain(line))
    else:
        click.echo(text, nl=False)


def _hint(work: Work, changes: Changes, *, saved: bool) -> None:
    if not changes.patch:
        note(f"note: `{changes.of}` has no change against {work.base[:12]}")
    if work.saved and not saved:
        note(f"note: more is saved on {', '.join(work.saved)}; `weft diff {work.job} --saved` shows the latest")


def _document(work: Work, changes: Changes) -> dict[str, object]:
    return {
        "run": work.run,
        "job": str(work.job),
        "status": work.status,
        "branch": work.branch,
        "merged_into": work.merged_into,
        "base": work.base,
        "of": changes.of,
        "saved": list(work.saved),
        "stat": changes.stat.encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
        "diff": changes.patch.decode("utf-8", "replace"),
    }
