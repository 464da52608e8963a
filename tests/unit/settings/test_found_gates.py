"""Gates found in a repo's files (RUN-8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.settings.environment import Environment
from weft.settings.found_gates import found_gates
from weft.settings.gates import gates_of
from weft.settings.load import load

CASES: list[tuple[dict[str, str], dict[str, str]]] = [
    ({}, {}),
    ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, {"test": "python -m pytest -q"}),
    ({"pyproject.toml": '[project]\ndependencies = ["pytest>=8"]\n'}, {"test": "python -m pytest -q"}),
    ({"pyproject.toml": "[project]\nname='x'\n"}, {}),
    ({"tests/test_a.py": ""}, {"test": "python -m pytest -q"}),
    ({"tests/a.rs": ""}, {}),
    ({"setup.cfg": "[tool:pytest]\n[mypy]\n"}, {"test": "python -m pytest -q", "typecheck": "python -m mypy ."}),
    ({"package.json": '{"scripts": {"test": "jest"}}'}, {"test": "npm test"}),
    ({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, {}),
    ({"package.json": '{"scripts": {"test": "jest"}}', "pnpm-lock.yaml": ""}, {"test": "pnpm test"}),
    (
        {"package.json": '{"scripts": {"lint": "eslint .", "typecheck": "tsc"}}', "yarn.lock": ""},
        {"lint": "yarn run lint", "typecheck": "yarn run typecheck"},
    ),
    ({"Cargo.toml": ""}, {"test": "cargo test"}),
    ({"go.mod": ""}, {"test": "go test ./..."}),
    ({"Makefile": "test: build\n\tx\nlint:\n\tx\n"}, {"test": "make test", "lint": "make lint"}),
    ({"Makefile": "test := 3\n"}, {}),
    (
        {"pyproject.toml": "[tool.ruff]\n[tool.mypy]\nfiles=['src']\n"},
        {"lint": "python -m ruff check .", "typecheck": "python -m mypy"},
    ),
    (
        {"eslint.config.mjs": "", "tsconfig.json": "{}"},
        {"lint": "npx --no-install eslint .", "typecheck": "npx --no-install tsc --noEmit"},
    ),
    ({"pyproject.toml": "not toml [", "package.json": "{", "Makefile": "\x00"}, {}),
    ({"package.json": '{"scripts": []}', "setup.cfg": "no section\n", "pyproject.toml": "tool = 3\n"}, {}),
]


@pytest.mark.parametrize(("files", "expected"), CASES)
def test_found(files: dict[str, str], expected: dict[str, str], tmp_path: Path) -> None:
    """Each gate is found where a file says so, and a broken file says nothing."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert {name: gate.command for name, gate in found_gates(tmp_path).items()} == expected


def test_settings_come_first(tmp_path: Path) -> None:
    """A command in the settings is taken, an empty one skips the gate, and only what is absent is found."""
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\n")
    (tmp_path / "weft.toml").write_text("[gates]\ntest = 'make check'\nlint = ''\ntimeout = '1m'\n")
    settings = load(Environment({"HOME": str(tmp_path)}, tmp_path)).settings
    gates = gates_of(settings, tmp_path)
    assert [(gate.name, gate.command) for gate in gates] == [("test", "make check"), ("typecheck", "python -m mypy .")]
    assert {gate.timeout for gate in gates} == {60.0}
