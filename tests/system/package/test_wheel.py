"""The built wheel, installed where nothing of this checkout is: the demo runs from it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DEPENDENCIES = ("click", "msgspec", "psutil", "yaml", "rich", "markdown_it", "mdurl", "pygments")
"""What Weft imports, and what these import: put beside the wheel, so that nothing is fetched."""


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built without a network, by the build tools that the checkout's own set-up installs."""
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = out.glob("weft-*.whl")
    return wheel


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh venv with the wheel's files and its dependencies; answers its `bin`."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=True, symlinks=True)
    python = folder / "bin/python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    site = Path(_answer(python, "import sysconfig; print(sysconfig.get_path('purelib'))"))
    ours = Path(sysconfig.get_path("purelib"))
    for name in DEPENDENCIES:
        (site / name).symlink_to(ours / name)
    for file in ours.glob("*.dist-info"):
        if file.name.split("-")[0].lower() in {"click", "msgspec", "psutil", "pyyaml", "rich"}:
            (site / file.name).symlink_to(file)
    return folder / "bin"


def _answer(python: Path, program: str) -> str:
    return subprocess.run([python, "-I", "-c", program], check=True, capture_output=True, text=True).stdout.strip()


def _weft(installed: Path, cwd: Path, *args: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The installed command line, with the test's folder as the user's home."""
    home = {"HOME": str(cwd), "TMPDIR": str(cwd), "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(
        [installed / "weft", *args],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], **home, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_is_this_wheel(installed: Path, tmp_path: Path) -> None:
    """Nothing of the checkout is on the path of the installed one."""
    found = _answer(installed / "python", "import weft; print(weft.__file__)")
    assert Path(found).is_relative_to(installed.parent)
    version = subprocess.run(
        [installed / "weft", "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert version.stdout.startswith("weft ")


def test_what_is_in_it(wheel: Path) -> None:
    """The package with its data, the licence, and nothing of the tests."""
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in (
        "weft/pipelines/builtin/default.toml",
        "weft/pipelines/builtin/exec.md",
        "weft/assembly/demo/files/script.toml",
        "weft/agents/scripted_program.py",
        "weft/py.typed",
    ):
        assert wanted in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert {name.split("/")[0] for name in names} == {
        "weft",
        next(name for name in names if "dist-info" in name).split("/")[0],
    }
    assert not [name for name in names if "__pycache__" in name]


def test_the_demo(installed: Path, tmp_path: Path) -> None:
    """`weft demo` outside of any checkout: exit 0, six passed, one of them sent back by qa and mended."""
    done = _weft(installed, tmp_path, "demo", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert [job["status"] for job in document["jobs"]] == ["passed"] * 6
    loops = [job["issue"] for job in document["jobs"] if _attempts(job, "exec") > 1]
    assert loops == ["102"]
    assert all(_attempts(job, "qa") == _attempts(job, "exec") for job in document["jobs"])


def _attempts(job: dict[str, object], phase: str) -> int:
    phases = job["phases"]
    assert isinstance(phases, list)
    return int(next(one["attempts"] for one in phases if one["name"] == phase))


def test_the_demo_for_people(installed: Path, tmp_path: Path) -> None:
    """It ends with the summary and what to look at next; what it names is there and works."""
    folder = tmp_path / "demo"
    done = _weft(installed, tmp_path, "demo", "--folder", str(folder))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("SUMMARY · 6 issues · ")
    assert "What to look at next:" in done.stderr
    for args in (["report"], ["diff", "102"], ["logs"], ["status"]):
        shown = _weft(installed, folder / "till", *args, WEFT_HOME=str(folder / "state"))
        assert (shown.returncode, shown.stderr) == (0, ""), args
        assert shown.stdout


def test_make_demo() -> None:
    """`make demo` sets up what it needs and runs the demo: the plan of make says so."""
    done = subprocess.run(
        ["make", "--no-print-directory", "-n", "demo"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1].endswith("weft demo")
