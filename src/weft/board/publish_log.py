"""Events of pull requests, in words for the log."""

from __future__ import annotations

from typing import TypeAlias

from weft.model import events as e
from weft.model.job import PullRequestRef

PublishEvent: TypeAlias = e.JobPublishing | e.PublishEnded | e.HandoffEnded | e.TrackerWaits


def publish_text(event: PublishEvent) -> str:
    match event:
        case e.JobPublishing(base=base):
            return f"passed; its pull request to {base} is being made"
        case e.PublishEnded(pull_request=made, created=created, problem=problem):
            return _made(made, created=created) if made else f"pull request failed: {problem}"
        case e.HandoffEnded(repo=repo, pull_request=made, created=created, problem=problem):
            if problem:
                return f"hand-off of {repo} failed: {problem}"
            return f"hand-off of {repo}: " + (_made(made, created=created) if made else "nothing is left to hand over")
        case e.TrackerWaits(repo=repo, why=why):
            return f"pull requests of {repo} wait: {why}"


def _made(made: PullRequestRef, *, created: bool) -> str:
    return f"pull request #{made.number} {'made' if created else 'is up to date'}" + (
        f": {made.url}" if made.url else ""
    )
