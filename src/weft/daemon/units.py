"""What a service manager is told, so that it runs exactly the foreground daemon: systemd and launchd, as text."""

from __future__ import annotations

import plistlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

LABEL = "dev.weft.daemon"
SYSTEMD_NAME = "weft.service"
PASSED_ON = ("PATH", "WEFT_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "TZ")
"""Variables that decide where the daemon finds its settings, its state, its programs and its time; secrets are for the
user to add: what is in a unit is easy to read."""


class Service(msgspec.Struct, frozen=True):
    """A command, where it runs and with which variables."""

    argv: tuple[str, ...]
    folder: Path
    variables: Mapping[str, str]
    grace: float
    """Seconds that agents have to end."""
    errors: Path
    """Where launchd puts what the daemon says on stderr; systemd has a place of its own."""


def systemd_unit(service: Service) -> str:
    """A user unit. The daemon needs time to drain and to save work before systemd loses patience."""
    variables = [f"Environment={_quoted(f'{name}={value}')}" for name, value in service.variables.items()]
    return "\n".join(
        [
            "[Unit]",
            "Description=Weft: maintenance of projects on a schedule",
            "",
            "[Service]",
            "Type=exec",
            f"ExecStart={_command(service.argv)}",
            f"WorkingDirectory={_path(service.folder)}",
            *variables,
            "KillMode=mixed",
            f"TimeoutStopSec={patience(service):.0f}",
            "Restart=on-failure",
            "RestartSec=30",
            "RestartPreventExitStatus=2 3",
            "",
            "[Install]",
            "WantedBy=default.target",
            "",
        ]
    )


def launchd_plist(service: Service) -> str:
    return plistlib.dumps(
        {
            "Label": LABEL,
            "ProgramArguments": list(service.argv),
            "WorkingDirectory": str(service.folder),
            "EnvironmentVariables": dict(service.variables),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": 30,
            "ExitTimeOut": int(patience(service)),
            "ProcessType": "Background",
            "StandardErrorPath": str(service.errors),
        },
        sort_keys=False,
    ).decode()


def patience(service: Service) -> float:
    """Draining and stopping each take the grace period at most; saving work and the report come after."""
    return 2 * service.grace + 60


def _command(argv: Sequence[str]) -> str:
    """Words as systemd splits them; `$` and `%` mean something to it."""
    return " ".join(_quoted(word.replace("$", "$$")) for word in argv)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("\n", "\\n")
    return f'"{escaped}"'


def _path(path: Path) -> str:
    """Not quoted: systemd takes the rest of the line, but for `%`."""
    return str(path).replace("%", "%%")
