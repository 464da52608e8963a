"""What service managers are told (PROJ-8): text that runs exactly the foreground daemon."""

from __future__ import annotations

import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest

from weft.daemon.units import Service, launchd_plist, systemd_unit

ARGV = ("/opt/weft/bin/python", "-m", "weft", "daemon", "start", "--foreground")


def service(folder: str = "/home/ada/code", **variables: str) -> Service:
    return Service(ARGV, Path(folder), variables, grace=5.0, errors=Path("/home/ada/daemon.err"))


def test_the_systemd_unit() -> None:
    """PROJ-8: the whole text."""
    assert systemd_unit(service(PATH="/usr/bin", WEFT_HOME="/srv/my state")) == (
        "[Unit]\n"
        "Description=Weft: maintenance of projects on a schedule\n"
        "\n"
        "[Service]\n"
        "Type=exec\n"
        'ExecStart="/opt/weft/bin/python" "-m" "weft" "daemon" "start" "--foreground"\n'
        "WorkingDirectory=/home/ada/code\n"
        'Environment="PATH=/usr/bin"\n'
        'Environment="WEFT_HOME=/srv/my state"\n'
        "KillMode=mixed\n"
        "TimeoutStopSec=70\n"
        "Restart=on-failure\n"
        "RestartSec=30\n"
        "RestartPreventExitStatus=2 3\n"
        "\n"
        "[Install]\n"
        "WantedBy=default.target\n"
    )


def test_what_means_something_to_systemd_is_escaped() -> None:
    """PROJ-8: quotes, backslashes, `%` and `$` in paths stay what they are."""
    odd = Service(('/opt/"a" $b %c\\d',), Path("/home/100%"), {"X": 'a"b%c'}, grace=0.0, errors=Path("/e"))
    lines = systemd_unit(odd).splitlines()
    assert 'ExecStart="/opt/\\"a\\" $$b %%c\\\\d"' in lines
    assert "WorkingDirectory=/home/100%%" in lines
    assert 'Environment="X=a\\"b%%c"' in lines


def test_the_launchd_plist() -> None:
    """PROJ-8: the same command, folder and variables; started again only after a failure."""
    plist = plistlib.loads(launchd_plist(service(PATH="/usr/bin")).encode())
    assert plist["ProgramArguments"] == list(ARGV)
    assert plist["WorkingDirectory"] == "/home/ada/code"
    assert plist["EnvironmentVariables"] == {"PATH": "/usr/bin"}
    assert plist["KeepAlive"] == {"SuccessfulExit": False}
    assert plist["ExitTimeOut"] == 70


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    """PROJ-8: `systemd-analyze verify` finds no fault with it."""
    folder = tmp_path / "a folder"
    folder.mkdir()
    unit = tmp_path / "weft.service"
    program = shutil.which("true") or "/bin/true"
    made = Service((program, *ARGV[1:]), folder, {"PATH": "/usr/bin:/bin"}, grace=5.0, errors=tmp_path / "e")
    unit.write_text(systemd_unit(made))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", str(unit)],
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    about_it = [line for line in done.stderr.splitlines() if "weft.service" in line]
    assert about_it == []
