"""`weft import`: another tool's settings become a weft.toml that loads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

SETTINGS = {"run": {"concurrency": 5, "mcp": True}}


def write(folder: Path) -> Path:
    file = folder / ".sequant/settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps(SETTINGS))
    return file


def test_writes_and_tells(weft: Callable[..., Any], folder: Path) -> None:
    """The file loads, names what has no counterpart, and the other tool's is left as it is."""
    source = write(folder)
    before = source.read_bytes()
    answer = weft("import", "sequant")
    assert answer.code == 0, answer.err
    assert answer.out == f"Wrote {folder}/weft.toml from {source}\n"
    reason = "run.mcp = true: an agent's MCP servers are its own settings"
    assert answer.err.splitlines() == ["1 value has no counterpart:", f"  {reason}"]
    assert f"#   {reason}\n" in (folder / "weft.toml").read_text()
    assert source.read_bytes() == before
    assert "concurrency" in weft("config", "show").out


def test_never_over_one_that_is_there(weft: Callable[..., Any], folder: Path) -> None:
    """Exit 2 and the hint; `--force` replaces it."""
    write(folder)
    (folder / "weft.toml").write_text("")
    answer = weft("import", "sequant")
    assert answer.code == 2
    assert "weft import sequant --force" in answer.err
    assert (folder / "weft.toml").read_text() == ""
    assert weft("import", "sequant", "--force").code == 0
    assert "concurrency = 5" in (folder / "weft.toml").read_text()


def test_print_and_json(weft: Callable[..., Any], folder: Path) -> None:
    """`--print` writes nothing; `--json` has both lists."""
    source = write(folder)
    printed = weft("import", "sequant", "--print")
    assert "[run]\nconcurrency = 5\n" in printed.out
    document = json.loads(weft("import", "sequant", "--print", "--json").out)
    assert document["from"] == str(source)
    assert document["file"] is None
    assert document["settings"]["run"] == {"concurrency": 5}
    assert [left["key"] for left in document["left"]] == ["run.mcp"]
    assert not (folder / "weft.toml").exists()


def test_nothing_to_import(weft: Callable[..., Any], folder: Path) -> None:
    """Exit 2 with the places that were looked at, or the file that is not there."""
    answer = weft("import", "clinvk")
    assert answer.code == 2
    assert "`~/.clinvk/config.yaml`" in answer.err
    assert weft("import", "clinvk", "no-such-file").code == 2
    assert weft("import", "gastown").code == 2
