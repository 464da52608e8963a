"""The report as a page (UI-3): one file, all outcomes, and nobody's text is markup."""

from __future__ import annotations

from html.parser import HTMLParser

import msgspec
from tests.unit.board.events_builder import RUN, Tale, key

from weft.board.board import fold
from weft.board.costs import costs_of
from weft.board.report_html import report_html
from weft.board.run_timeline import MOST_JOBS, run_timeline
from weft.board.views import RunView
from weft.model.job import JobStatus

VOID = {"meta", "br"}


class Page(HTMLParser):
    """Fails on tags that do not close; keeps what is outside of the page, and all text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.seen: set[str] = set()
        self.links: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.tags

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in VOID:
            self.tags.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.tags.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def page(view: RunView) -> Page:
    return Page(report_html(view, costs_of([view], lambda at: "2026-02-02"), view.last_at))


def test_all_outcomes_are_on_it() -> None:
    """Jobs with their status, phases, branch, cost and reason; what is parked and why; the timeline; attempts."""
    tale = Tale("#1", "#2", "#3").whole("#1").failing("#2", "qa").end("#3", JobStatus.PARKED, "asks: Which?")
    found = page(fold(RUN, tale.over()))
    text = " ".join(found.words)
    for words in ("3 jobs: 1 passed, 1 failed, 1 parked", "Needs a person", "asks: Which?", "weft/1-title", "$0.60"):
        assert words in text
    assert {"svg", "table", "details", "style"} <= found.seen
    assert {"script", "link", "img", "iframe"}.isdisjoint(found.seen)
    assert all(link.startswith("#") for link in found.links)


def test_nobody_can_write_markup_into_it() -> None:
    """SEC-2: titles, reasons and what gates print are text, wherever they show."""
    evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\x1b[31m'
    tale = Tale("#1").admit("#1").begin("#1", "qa").gates("#1", passed=False)
    tale.end("#1", JobStatus.FAILED, evil, evil)
    view = fold(RUN, tale.over())
    view.command = evil
    job = view.jobs[key("#1")]
    job.job = msgspec.structs.replace(job.job, title=evil)
    job.branch = job.workspace = job.pull_request_url = evil
    job.pull_request = 7
    found = page(view)
    assert {"script", "img"}.isdisjoint(found.seen)
    assert not any("\u202e" in words or "\x1b" in words for words in found.words)


def test_links_go_to_the_web_alone() -> None:
    """An address is somebody's text too."""
    view = fold(RUN, Tale("#1").whole("#1").over())
    job = view.jobs[key("#1")]
    job.pull_request, job.pull_request_url = 7, "javascript:alert(1)"
    assert "javascript:alert(1)" not in page(view).links
    job.pull_request_url = "https://example.org/pull/7"
    assert "https://example.org/pull/7" in page(view).links


def test_a_few_jobs_have_a_row_each_and_many_share_one() -> None:
    """Readable for 3 and for 300."""
    few, many = Tale("#1", "#2").whole("#1").failing("#2"), Tale(*(f"#{n}" for n in range(300)))
    for number in range(300):
        many.whole(f"#{number}", seconds=1.0)
    rows = run_timeline(fold(RUN, few.over())).rows
    assert [[bar.label for bar in row.bars] for row in rows] == [["spec", "exec", "qa"], ["spec", "exec"]]
    view = fold(RUN, many.over())
    assert MOST_JOBS < 300
    assert [(row.label, len(row.bars)) for row in run_timeline(view).rows] == [("shop", 300)]
    assert page(view).words


def test_a_run_under_way_and_one_that_never_began() -> None:
    """What is not known yet breaks nothing."""
    assert page(fold(RUN, Tale("#1", "#2").admit("#1").begin("#1", "exec").events)).words
    assert "svg" not in page(fold(RUN, Tale("#1").events)).seen
