"""`weft queue`: the merge queue of a run, seen and steered (MERGE-6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from weft.cli import queue_steer
from weft.cli.caller import pass_environment
from weft.cli.queue_look import list_queues
from weft.settings.environment import Environment

C = TypeVar("C", bound=Callable[..., Any])


def _options(command: C) -> C:
    given = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)
    return click.option("--run", metavar="RUN", help="The run that is meant (default: the one under way).")(given)


@click.group(name="queue", invoke_without_command=True)
@_options
@click.pass_context
def command(ctx: click.Context, run: str | None, as_json: bool) -> None:
    """See, hold and release the merge queue of a run: one queue for each repo and target branch.

    Jobs of `weft run --merge queue` and of waves stand in it from when they pass until their branch has landed. Alone
    it is `weft queue list`.

    \b
    Examples:
      weft queue
      weft queue hold
      weft queue release api
      weft queue remove 101
    """
    ctx.default_map = {name: {"run": run, "as_json": as_json} for name in command.commands}  # wherever they are given
    if ctx.invoked_subcommand is None:
        list_queues(ctx.find_object(Environment) or Environment.read(), run, as_json=as_json)


@command.command(name="list")
@_options
@pass_environment
def list_(environment: Environment, run: str | None, as_json: bool) -> None:
    """Show who stands in it: place, state, what each is stacked on, and for how long.

    Of every run under way; without one, of the latest run that was interrupted with branches in its queue.

    \b
    Examples:
      weft queue list
      weft queue list --json | jq '.queues[].items[] | {key, state, stacked_on}'
    """
    list_queues(environment, run, as_json=as_json)


@command.command()
@click.argument("repo", required=False, metavar="[REPO]")
@_options
@pass_environment
def hold(environment: Environment, repo: str | None, run: str | None, as_json: bool) -> None:
    """Merge, test and land nothing new; what is landing lands.

    Jobs go on being worked on, and wait in the queue. Without REPO: every queue of the run.

    \b
    Examples:
      weft queue hold
      weft queue hold api --run r-k3m9x2ab
    """
    queue_steer.set_hold(environment, repo, run, held=True, as_json=as_json)


@command.command()
@click.argument("repo", required=False, metavar="[REPO]")
@_options
@pass_environment
def release(environment: Environment, repo: str | None, run: str | None, as_json: bool) -> None:
    """Go on merging: lifts `weft queue hold`, and looks anew at a target that was red.

    \b
    Examples:
      weft queue release
      weft queue release api
    """
    queue_steer.set_hold(environment, repo, run, held=False, as_json=as_json)


@command.command()
@click.argument("job", metavar="JOB")
@_options
@pass_environment
def remove(environment: Environment, job: str, run: str | None, as_json: bool) -> None:
    """Take a job out of the queue: it is parked, and its branch is kept.

    Those behind it are merged and tested again without it. JOB is 101, #101 or shop#101.

    \b
    Examples:
      weft queue remove 101
      weft queue remove shop#101 --json
    """
    queue_steer.remove(environment, job, run, as_json=as_json)
