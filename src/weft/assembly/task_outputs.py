"""What tasks said and changed, for those who show it: from their files and from git."""

from __future__ import annotations

import asyncio
from pathlib import Path

from weft.board.task_document import Document, result_document
from weft.board.task_results import TaskResult
from weft.board.views import RunView
from weft.errors import WeftError
from weft.execution.outputs import output_file, read_output
from weft.model.layout import Layout
from weft.pipelines.quoting import without_last_newline
from weft.settings.environment import Environment
from weft.workspaces.git import Git
from weft.workspaces.repository import Repository, find_repo

_FIRST_BYTES = 4096


class TaskOutputs:
    """Of the tasks of one run."""

    def __init__(self, layout: Layout, environment: Environment, view: RunView) -> None:
        self._layout = layout
        self._git = Git(environment.variables)
        self._view = view

    def beginning(self, result: TaskResult) -> str:
        """Enough for its first line."""
        file = output_file(self._layout, result.attempt) if result.attempt else None
        if file is None:
            return ""
        with file.open("rb") as opened:
            return opened.read(_FIRST_BYTES).decode("utf-8", "replace")

    def whole(self, result: TaskResult) -> str:
        """All it said, without the last newline."""
        text = read_output(self._layout, result.attempt) if result.attempt else None
        return without_last_newline(text or "")

    async def document(self, result: TaskResult) -> Document:
        said = await asyncio.to_thread(self.whole, result)
        return result_document(result, said, await self._diff_stat(result))

    async def _diff_stat(self, result: TaskResult) -> str | None:
        """What its branch changed; None where it has none, or git does not know it any more."""
        if result.branch is None or result.base is None:
            return None
        try:
            facts = await find_repo(self._git, Path(self._view.repos[result.key.repo]))
            return await Repository(self._git, facts).diff_stat(result.commit or result.branch, result.base)
        except WeftError:
            return None
