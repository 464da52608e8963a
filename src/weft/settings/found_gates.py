"""Gates found in a repo's own files, for those that the settings do not name."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

GATE_NAMES = ("test", "lint", "typecheck")
_NPM_PLACEHOLDER = "no test specified"
_ESLINT = (*(f"eslint.config.{end}" for end in ("js", "mjs", "cjs", "ts")), ".eslintrc.json", ".eslintrc.js")


class FoundGate(msgspec.Struct, frozen=True):
    """A command, and the file that says so."""

    command: str
    because: str


def found_gates(folder: Path) -> dict[str, FoundGate]:
    """By gate name; what is not found is not there."""
    repo = _Repo(folder)
    found = {name: next(finder(repo), None) for name, finder in _FINDERS.items()}
    return {name: gate for name, gate in found.items() if gate}


class _Repo:
    """What the repo's files say. A file that is missing or broken says nothing: mending it is not Weft's business."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pyproject = self._toml("pyproject.toml")
        self.tools: dict[str, Any] = _table(self.pyproject, "tool")
        self.package = self._json("package.json")
        self.scripts = {name: text for name, text in _table(self.package, "scripts").items() if isinstance(text, str)}
        self.make_targets = set(re.findall(r"^([A-Za-z0-9_-]+)\s*:(?!=)", self.text("Makefile"), re.MULTILINE))

    def has(self, *names: str) -> str | None:
        """The first of these that exists."""
        return next((name for name in names if (self.folder / name).exists()), None)

    def text(self, name: str) -> str:
        try:
            return (self.folder / name).read_text("utf-8", errors="replace")
        except OSError:
            return ""

    def section(self, name: str, section: str) -> str | None:
        """The name of an ini file that has the section."""
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(self.text(name))
        except configparser.Error:
            return None
        return name if parser.has_section(section) else None

    @property
    def node(self) -> str:
        """The package manager that the repo uses."""
        locks = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn"}
        return next((tool for lock, tool in locks.items() if self.has(lock)), "npm")

    def _toml(self, name: str) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text(name))
        except tomllib.TOMLDecodeError:
            return {}

    def _json(self, name: str) -> dict[str, Any]:
        try:
            value = json.loads(self.text(name) or "{}")
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


def _table(parent: dict[str, Any], name: str) -> dict[str, Any]:
    value = parent.get(name)
    return value if isinstance(value, dict) else {}


def _tests(repo: _Repo) -> Iterator[FoundGate]:
    if because := _pytest(repo):
        yield FoundGate("python -m pytest -q", because)
    if _NPM_PLACEHOLDER not in repo.scripts.get("test", _NPM_PLACEHOLDER):
        yield FoundGate(f"{repo.node} test", "package.json")
    if because := repo.has("Cargo.toml"):
        yield FoundGate("cargo test", because)
    if because := repo.has("go.mod"):
        yield FoundGate("go test ./...", because)
    yield from _make(repo, "test")


def _pytest(repo: _Repo) -> str | None:
    if "pytest" in repo.tools or re.search(r"[\"']pytest\b", repo.text("pyproject.toml")):
        return "pyproject.toml"
    if because := repo.has("pytest.ini", "conftest.py", "tests/conftest.py"):
        return because
    if because := repo.section("tox.ini", "pytest") or repo.section("setup.cfg", "tool:pytest"):
        return because
    return _python_tests(repo)


def _python_tests(repo: _Repo) -> str | None:
    """`tests/` with files that pytest would take."""
    tests = repo.folder / "tests"
    named = next(tests.glob("**/test_*.py"), None) or next(tests.glob("**/*_test.py"), None)
    return "tests/" if named else None


def _linters(repo: _Repo) -> Iterator[FoundGate]:
    if because := ("pyproject.toml" if "ruff" in repo.tools else repo.has("ruff.toml", ".ruff.toml")):
        yield FoundGate("python -m ruff check .", because)
    if "lint" in repo.scripts:
        yield FoundGate(f"{repo.node} run lint", "package.json")
    if because := repo.has(
        *(f"eslint.config.{end}" for end in ("js", "mjs", "cjs", "ts")), ".eslintrc.json", ".eslintrc.js"
    ):
        yield FoundGate("npx --no-install eslint .", because)
    yield from _make(repo, "lint")


def _type_checkers(repo: _Repo) -> Iterator[FoundGate]:
    if "mypy" in repo.tools:
        named = _table(repo.tools, "mypy").keys() & {"files", "packages", "modules"}
        yield FoundGate("python -m mypy" if named else "python -m mypy .", "pyproject.toml")
    if because := repo.has("mypy.ini", ".mypy.ini") or repo.section("setup.cfg", "mypy"):
        yield FoundGate("python -m mypy .", because)
    if "typecheck" in repo.scripts:
        yield FoundGate(f"{repo.node} run typecheck", "package.json")
    if because := repo.has("tsconfig.json"):
        yield FoundGate("npx --no-install tsc --noEmit", because)
    yield from _make(repo, "typecheck")


def _make(repo: _Repo, target: str) -> Iterator[FoundGate]:
    if target in repo.make_targets:
        yield FoundGate(f"make {target}", "Makefile")


_FINDERS: dict[str, Callable[[_Repo], Iterator[FoundGate]]] = {
    "test": _tests,
    "lint": _linters,
    "typecheck": _type_checkers,
}
