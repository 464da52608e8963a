"""An issue's text as agents get it: what was written, cleaned and of bounded length, then the comments (SEC-2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft.pipelines.fence import clean_line, clean_text
from weft.sources.comments import CommentsFrom
from weft.sources.github.marker import is_marked
from weft.sources.github.shapes import CommentShape

LONGEST_BODY = 100_000
"""Characters; GitHub itself takes 65,536."""
LONGEST_COMMENTS = 100_000
"""Characters of all comments together; the newest count most."""
_WRITERS = frozenset(("OWNER", "MEMBER", "COLLABORATOR"))


def issue_text(body: str | None, comments: Sequence[CommentShape] = ()) -> str:
    """The whole text; comments in the order they were written."""
    text = bounded(clean_text(body or ""), LONGEST_BODY)
    told = _newest(_comment_text(comment) for comment in reversed(comments))
    if not told:
        return text
    left_out = len(comments) - len(told)
    heading = f"## Comments\n\n[{left_out} earlier ones are left out]" if left_out else "## Comments"
    return "\n\n".join([text.rstrip(), heading, *told]) + "\n"


def heard(comments: Iterable[CommentShape], who: CommentsFrom) -> list[CommentShape]:
    """Those that agents are given; Weft's own are none of them."""
    if who is CommentsFrom.NOBODY:
        return []
    spoken = [comment for comment in comments if (comment.body or "").strip() and not is_marked(comment.body or "")]
    return spoken if who is CommentsFrom.ALL else [comment for comment in spoken if is_writer(comment)]


def is_writer(comment: CommentShape) -> bool:
    return comment.author_association in _WRITERS


def bounded(text: str, limit: int) -> str:
    """`text`, or its beginning with a note where it is too long."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n\n[cut here by Weft: {len(text) - limit} more characters]"


def _comment_text(comment: CommentShape) -> str:
    author = clean_line(comment.user.login) if comment.user else "someone who is gone"
    day = clean_line(comment.created_at[:10])
    return f"### {author}, {day}\n\n{bounded(clean_text(comment.body or '').strip(), LONGEST_COMMENTS // 4)}"


def _newest(newest_first: Iterable[str]) -> list[str]:
    """As many as fit, back in the order of writing."""
    kept: list[str] = []
    room = LONGEST_COMMENTS
    for text in newest_first:
        room -= len(text)
        if room < 0:
            break
        kept.insert(0, text)
    return kept
