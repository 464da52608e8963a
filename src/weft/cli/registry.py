"""The commands, by group. Each is a module of this folder that holds a `command`, imported only when it is asked for.

The one-line help is here and not in the module, so that `weft --help` imports none of them.
"""

from __future__ import annotations

from importlib.util import find_spec
from keyword import iskeyword

GROUPS: dict[str, dict[str, str]] = {
    "Start": {
        "init": "Write weft.toml for this repo and say what was found",
        "import": "Write weft.toml from the settings of another tool",
        "doctor": "Check git, agents, credentials, disk and sandbox",
        "demo": "See the whole trip in a made-up repo, without a key",
        "config": "Show the settings and where each came from",
        "schema": "Print JSON Schema of task and plan files, for editors",
    },
    "Work": {
        "run": "Take issues through the pipeline, several at once",
        "wave": "Take the issues of several repos, in dependency order",
        "parallel": "Run the prompts of a task file, several at once",
        "chain": "Run prompts one after the other, each with what was said before",
        "compare": "Give several agents the same prompt, side by side",
        "projects": "Do maintenance tasks over many projects",
        "daemon": "Do them on a schedule",
        "recover": "Go on with what an interrupted run left",
    },
    "Watch": {
        "status": "Show the runs under way and what needs a person",
        "logs": "Show what happened in a run or a job",
        "report": "Show a run's outcome",
        "stats": "Show success rates, durations and cost over time",
        "why": "Say why a job is not running",
        "simulate": "Play a plan through in no time, at one cap or several",
    },
    "Steer": {
        "cap": "Set how many jobs may be active",
        "pause": "Start nothing new",
        "resume": "Lift the pause",
        "cancel": "Stop a job and keep its work",
        "retry": "Run a failed job again",
        "answer": "Tell a job what it needs to know, so that it goes on",
        "queue": "See, hold and release the merge queue",
        "locks": "See, take and give back the locks on issues",
    },
    "Look and tidy": {
        "diff": "Show what a job changed",
        "open": "Say where a job's workspace is, or open it",
        "clean": "Remove what is safe to remove",
    },
}


def module_of(name: str) -> str:
    """A word that Python keeps for itself cannot name a module."""
    return f"weft.cli.{name}_" if iskeyword(name) else f"weft.cli.{name}"


def available() -> dict[str, dict[str, str]]:
    """The groups with the commands that are part of this installation."""
    return {
        group: present
        for group, commands in GROUPS.items()
        if (present := {name: text for name, text in commands.items() if find_spec(module_of(name))})
    }


def names() -> list[str]:
    return [name for commands in available().values() for name in commands]
