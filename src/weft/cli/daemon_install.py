"""`weft daemon install`: a unit for the service manager."""

from __future__ import annotations

import sys
from pathlib import Path

from weft.cli.daemon_control import ARGV
from weft.cli.printing import note, print_json, print_text
from weft.daemon.log import log_path
from weft.daemon.units import LABEL, PASSED_ON, SYSTEMD_NAME, Service, launchd_plist, systemd_unit
from weft.daemon.watchman import check_settings
from weft.errors import ExitCode, UsageError
from weft.settings.environment import Environment
from weft.settings.load import Loaded

SYSTEMD, LAUNCHD = "systemd", "launchd"


def install_unit(
    loaded: Loaded, environment: Environment, manager: str | None, *, only_print: bool, force: bool, as_json: bool
) -> ExitCode:
    check_settings(loaded, environment)
    chosen = manager or (LAUNCHD if sys.platform == "darwin" else SYSTEMD)
    service = _service(loaded, environment)
    text = systemd_unit(service) if chosen == SYSTEMD else launchd_plist(service)
    path = _path(chosen, environment)
    if not only_print:
        _write(path, text, force=force)
    commands = _commands(chosen, path)
    if as_json:
        print_json({"manager": chosen, "path": str(path), "text": text, "written": not only_print, "next": commands})
    elif only_print:
        print_text(text)
    else:
        print_text(f"written: {path}\n" + "".join(f"next: {command}\n" for command in commands))
    return ExitCode.OK


def _service(loaded: Loaded, environment: Environment) -> Service:
    variables = {name: value for name in PASSED_ON if (value := environment.get(name))}
    if "WEFT_HOME" in variables:
        variables["WEFT_HOME"] = str(environment.state_folder.absolute())
    return Service(
        argv=(sys.executable, *ARGV),
        folder=environment.folder,
        variables=variables,
        grace=loaded.settings.grace,
        errors=log_path(environment).with_suffix(".err"),
    )


def _path(manager: str, environment: Environment) -> Path:
    if manager == LAUNCHD:
        return environment.home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    return environment.config_folder / "systemd" / "user" / SYSTEMD_NAME


def _write(path: Path, text: str, *, force: bool) -> None:
    if path.exists() and path.read_text("utf-8") != text and not force:
        raise UsageError(f"`{path}` is there and says something else", hint="`--force` writes over it, `--print` shows")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    note("note: keys and tokens of agents are not in it; add them to the unit, or log in with the agents' own commands")


def _commands(manager: str, path: Path) -> list[str]:
    if manager == LAUNCHD:
        return [f"launchctl bootstrap gui/$(id -u) {path}"]
    return ["systemctl --user daemon-reload", f"systemctl --user enable --now {SYSTEMD_NAME}", "loginctl enable-linger"]
