"""`weft open JOB`: where a job's workspace is, or a shell in it."""

from __future__ import annotations

import os
import shlex
import sys

import click

from weft.assembly.history import open_history
from weft.assembly.work_of_job import Work
from weft.cli.caller import pass_environment
from weft.cli.printing import note, print_json, print_text
from weft.cli.worked import chosen_work
from weft.errors import ProcessError, WorkspaceError
from weft.settings.environment import Environment


@click.command(name="open")
@click.argument("job", metavar="JOB")
@click.option("--run", metavar="RUN", help="The run that is meant (default: the latest that worked on it).")
@click.option("--print", "print_path", is_flag=True, help="Only print the path, also on a terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, job: str, run: str | None, print_path: bool, as_json: bool) -> None:
    """Open a shell in a job's workspace, or say where its work is.

    On a terminal your shell ($SHELL) is started in the workspace; elsewhere, or with --print, its path is printed.
    Where the workspace is gone (a passed job's is removed), the branch and how to check it out are printed instead.

    \b
    Examples:
      weft open 101
      cd "$(weft open 101 --print)"
    """
    with open_history(environment) as history:
        work = chosen_work(history, environment, job, run)
    if as_json:
        print_json(_document(work))
    elif not work.has_workspace:
        _tell_branch(work, must_exist=print_path)
    elif print_path or not _on_terminal() or environment.get("SHELL") is None:
        print_text(f"{work.path}\n")
    else:
        _start_shell(work, environment)


def _tell_branch(work: Work, *, must_exist: bool) -> None:
    checkout = f"git -C {shlex.quote(work.repo.path)} worktree add FOLDER {shlex.quote(work.branch)}"
    gone = f"{work.job} ({work.status}) has no workspace any more"
    if must_exist:
        raise WorkspaceError(gone, hint=f"its work is on branch `{work.branch}`: `{checkout}`")
    merged = f", merged into {work.merged_into}" if work.merged_into else ""
    print_text(f"{gone}; its work is on branch {work.branch}{merged}\n  {checkout}\n")


def _start_shell(work: Work, environment: Environment) -> None:
    """In place of this process: there is nothing to come back for."""
    shell = str(environment.get("SHELL"))
    note(f"{work.path} on branch {work.branch}; leave it with `exit`")
    if work.running:
        note("note: the job is running: what you change there becomes part of its work")
    try:
        os.chdir(work.path)
        os.execvpe(shell, [shell], dict(environment.variables))  # noqa: S606 - the user's own shell
    except OSError as error:
        raise ProcessError(f"`{shell}` cannot be started in `{work.path}`: {error.strerror}") from error


def _on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _document(work: Work) -> dict[str, object]:
    return {
        "run": work.run,
        "job": str(work.job),
        "status": work.status,
        "workspace": str(work.path) if work.has_workspace else None,
        "branch": work.branch,
        "merged_into": work.merged_into,
        "repo": work.repo.path,
        "saved": list(work.saved),
    }
