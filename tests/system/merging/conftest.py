"""The scene of these tests; when one ends, nothing of a merge may be left."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.system.merging.scene import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)
