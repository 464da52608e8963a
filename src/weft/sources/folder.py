"""Issues from a folder of Markdown files: `101-add-login.md`, `102.md`. Other files in it are left alone."""

from __future__ import annotations

from pathlib import Path

from weft.errors import UsageError
from weft.ports import Issue
from weft.sources.issue_file import ENDINGS, number_of, read_issue


class FolderSource:
    """An `IssueSource`. The folder is listed once; a file is read when it is asked for."""

    def __init__(self, folder: Path, relative_to: Path | None = None) -> None:
        self.folder = folder
        self._relative_to = relative_to or folder.parent
        self._files: dict[str, list[Path]] | None = None

    def find(self, ident: str) -> Issue | None:
        paths = self.files().get(ident, [])
        if len(paths) > 1:
            raise UsageError(self._twice(ident, paths), hint="rename or remove one of them")
        return read_issue(paths[0], self.shown(paths[0])) if paths else None

    def all(self) -> list[Issue]:
        """In the order of their numbers; UsageError with every problem of every file."""
        issues: list[Issue] = []
        problems: list[str] = []
        for ident in self.files():
            try:
                found = self.find(ident)
            except UsageError as error:
                problems.append(error.message)
            else:
                issues += [found] if found else []
        if problems:
            raise UsageError("\n".join(problems))
        return issues

    def files(self) -> dict[str, list[Path]]:
        """The files by issue, the lowest number first."""
        if self._files is None:
            self._files = self._listed()
        return self._files

    def shown(self, path: Path) -> str:
        """A path as a person would write it."""
        return str(path.relative_to(self._relative_to)) if path.is_relative_to(self._relative_to) else str(path)

    def _listed(self) -> dict[str, list[Path]]:
        listed: dict[str, list[Path]] = {}
        for path in self._entries():
            ident = number_of(path) if path.suffix.lower() in ENDINGS else None
            if ident:
                listed.setdefault(ident, []).append(path)
        return dict(sorted(listed.items(), key=lambda item: int(item[0])))

    def _entries(self) -> list[Path]:
        try:
            return sorted(self.folder.iterdir())
        except FileNotFoundError:
            return []
        except OSError as error:
            where = self.shown(self.folder)
            raise UsageError(f"{where}: cannot be read as a folder of issues: {error.strerror}") from None

    def _twice(self, ident: str, paths: list[Path]) -> str:
        names = " and ".join(f"`{self.shown(path)}`" for path in paths)
        return f"issue `{ident}` is in two files: {names}"
