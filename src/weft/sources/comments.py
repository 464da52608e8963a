"""Whose comments on an issue agents are given."""

from __future__ import annotations

from enum import Enum


class CommentsFrom(Enum):
    WRITERS = "writers"
    """People who may write to the repo: its owner, members of the organisation, collaborators."""
    ALL = "all"
    """Everyone."""
    NOBODY = "none"
    """No comments at all."""
