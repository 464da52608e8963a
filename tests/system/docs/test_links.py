"""Links and pictures lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.system.docs.pages import PAGES, ROOT, prose, shown

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.*)$", re.MULTILINE)
PICTURE = ROOT / "docs" / "pictures" / "demo.svg"


def _anchors(page: Path) -> set[str]:
    """As the usual renderers make them."""
    words = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(prose(page)))
    return {each.strip().replace(" ", "-") for each in words}


def _is_broken(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists() or not target.is_relative_to(ROOT):
        return True
    return bool(anchor) and anchor not in _anchors(target)


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_relative_links_lead_somewhere(page: Path) -> None:
    """A link goes to a file of this repo, and its anchor to a heading there (DOC-1)."""
    links = [link for link in _LINK.findall(prose(page)) if "://" not in link]
    assert [link for link in links if _is_broken(page, link)] == []


def test_every_page_can_be_reached() -> None:
    """From the README by links alone one comes to every page (DOC-1)."""
    reached, waiting = set[Path](), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        links = [link.partition("#")[0] for link in _LINK.findall(prose(page)) if "://" not in link]
        waiting += [(page.parent / link).resolve() for link in links if link]
    assert sorted(map(shown, set(PAGES) - reached)) == []


def test_the_picture_fetches_nothing() -> None:
    """The picture is whole XML with the summary in it, and names no other host."""
    text = PICTURE.read_text(encoding="utf-8")
    ET.fromstring(text)
    assert "SUMMARY" in text
    assert set(re.findall(r"https?://[^\"')\s]+", text)) <= {"http://www.w3.org/2000/svg"}
