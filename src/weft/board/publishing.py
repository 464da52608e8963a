"""The fold of pull requests: what the board shows of them."""

from __future__ import annotations

from weft.board.views import HandoffView, JobView, RunView
from weft.model.events import HandoffEnded, JobEnded, JobPublishing, PublishEnded


def fold_publishing(view: RunView, event: JobPublishing | PublishEnded | HandoffEnded) -> None:
    match event:
        case JobPublishing(job=key):
            job = view.jobs.get(key)
            if job is not None and job.status is None:
                _begin(view, job)
        case PublishEnded(attempt=attempt, pull_request=made, api_calls=calls):
            view.api_calls += calls
            job = view.jobs.get(attempt.job)
            if job is not None and made is not None:
                job.pull_request, job.pull_request_url = made.number, made.url or None
        case HandoffEnded(repo=repo, pull_request=made, problem=problem, api_calls=calls):
            view.api_calls += calls
            number, url = (made.number, made.url or None) if made else (None, None)
            view.handed_off[repo] = HandoffView(number, url, problem)


def end_publishing(view: RunView, job: JobView, event: JobEnded) -> None:
    job.publishing = False
    view.publishing.discard(job.key)
    if event.pull_request is not None:
        job.pull_request, job.pull_request_url = event.pull_request.number, event.pull_request.url or None


def _begin(view: RunView, job: JobView) -> None:
    """It gives up its slot."""
    job.in_flight = False
    view.running.pop(job.key, None)
    job.publishing = True
    view.publishing.add(job.key)
