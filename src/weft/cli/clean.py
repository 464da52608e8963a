"""`weft clean`: remove what is safe to remove."""

from __future__ import annotations

import asyncio
import time

import click

from weft.assembly.cleaning import Ages, Cleaning, Item, Kind
from weft.assembly.history import open_history
from weft.board.document import Document
from weft.cli.caller import pass_environment
from weft.cli.durations import seconds_of
from weft.cli.printing import print_json, print_text
from weft.settings.environment import Environment
from weft.settings.load import load
from weft.terminal.columns import columns

WORDS = {Kind.WORKSPACE: "workspace", Kind.TRANSCRIPTS: "transcripts of", Kind.JOURNAL: "journal of"}


@click.command(name="clean")
@click.option("--older-than", metavar="DURATION", help="Only what runs left that ended longer ago, such as 7d.")
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, older_than: str | None, dry_run: bool, as_json: bool) -> None:
    """Remove what is safe to remove, and say what was kept and why.

    Goes: workspaces of ended jobs that hold nothing which is not on a branch or a saved ref; journal and transcripts
    of runs that ended longer ago than `state.keep` (default 30d), or than --older-than where it is given. The journal
    of a run stays while a branch that passed in it exists, or the one it was merged into, so that the issue is not run
    again.

    Never: a branch, a saved ref, anything of a run that is under way or interrupted.

    \b
    Examples:
      weft clean --dry-run
      weft clean --older-than 7d
    """
    keep = load(environment).settings.state.keep
    age = None if older_than is None else seconds_of("--older-than", older_than)
    items = asyncio.run(_clean(environment, _ages(age, keep), dry=dry_run))
    if as_json:
        print_json(_document(items, dry=dry_run))
    else:
        print_text(_text(items, dry=dry_run))


def _ages(age: float | None, keep: float) -> Ages:
    now = time.time()
    return Ages(None if age is None else now - age, now - (keep if age is None else age))


async def _clean(environment: Environment, ages: Ages, *, dry: bool) -> list[Item]:
    with open_history(environment) as history:
        cleaning = Cleaning(history, environment, ages)
        items = await cleaning.survey()
        if not dry:
            await cleaning.carry_out(items)
        return items


def _text(items: list[Item], *, dry: bool) -> str:
    gone = [item for item in items if item.why is None]
    kept = [item for item in items if item.why is not None]
    lines = _block("Would remove" if dry else "Removed", [_named(item) for item in gone])
    lines += _block("Kept", [[*_named(item), item.why or ""] for item in kept])
    return "\n".join(lines or ["Nothing to clean"]) + "\n"


def _block(title: str, rows: list[list[str]]) -> list[str]:
    return [title, *columns(rows, indent="  ")] if rows else []


def _named(item: Item) -> list[str]:
    name = item.name if item.kind is Kind.WORKSPACE else str(item.run)
    return [f"{WORDS[item.kind]} {name}", item.job or ""]


def _document(items: list[Item], *, dry: bool) -> Document:
    return {
        "dry_run": dry,
        "removed": [] if dry else [_item(item) for item in items if item.why is None],
        "would_remove": [_item(item) for item in items if item.why is None] if dry else [],
        "kept": [_item(item) for item in items if item.why is not None],
    }


def _item(item: Item) -> Document:
    return {"kind": item.kind.value, "name": item.name, "run": item.run, "job": item.job, "why": item.why}
