"""Files that come with Weft, or lie beside a pipeline of the user's own."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from weft.errors import SettingsError


def builtin_pipeline() -> tuple[str, dict[str, str]]:
    """The default pipeline's text and its prompt templates by name."""
    folder = resources.files("weft.pipelines") / "builtin"
    templates = {file.name: file.read_text("utf-8") for file in folder.iterdir() if file.name.endswith(".md")}
    return (folder / "default.toml").read_text("utf-8"), templates


def builtin_file(name: str) -> str:
    """The text of another pipeline that comes with Weft."""
    return (resources.files("weft.pipelines") / "builtin" / name).read_text("utf-8")


def own_pipeline(file: Path) -> tuple[str, dict[str, str]]:
    """A pipeline of the user's own: templates are the Markdown files beside it, over those that come with Weft."""
    _, templates = builtin_pipeline()
    text = read_text(file)
    beside = {path.name: read_text(path) for path in sorted(file.parent.glob("*.md"))}
    return text, templates | beside


def read_text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: cannot be read: {error}") from error
