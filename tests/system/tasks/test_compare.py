"""`weft compare`: one prompt, several agents, and a judge who does not know whose answer is whose."""

from __future__ import annotations

import json

import pytest
from tests.support.task_folder import TaskFolder, check_counts, outputs, statuses

JUDGES = """
[agents.fails]
kind = "command"
argv = ["/bin/sh", "-c", "echo broken >&2; exit 3"]

[agents.judge]
kind = "command"
argv = ["/bin/sh", "-c", "cat > judged.txt; cat verdict.txt"]
"""


def test_side_by_side(folder: TaskFolder) -> None:
    """TASK-13: all at once, next to each other, then the table and the total."""
    answer = folder.weft("compare", "--backends", "cat,upper", "--", "- hello you")
    assert answer.code == 0
    lines = answer.out.splitlines()
    row = next(line for line in lines if line.startswith("- hello you"))
    assert [part.strip() for part in row.split("|")] == ["- hello you", "- HELLO YOU"]
    assert lines[-1].startswith("Total: 2 tasks, 2 completed, 0 failed")


def test_at_once(folder: TaskFolder) -> None:
    """TASK-13: none waits for another, however many there are."""
    names = [f"a{number}" for number in range(5)]
    kind = 'kind = "command"'
    holding = {name: f'argv = ["/bin/sh", "-c", "{folder.hold(name).strip()}"]' for name in names}
    folder.settings("".join(f"[agents.{name}]\n{kind}\n{argv}\n" for name, argv in holding.items()))
    run = folder.start("compare", "--backends", ",".join(names), "x", "--json")
    run.until(folder.at(*names))
    folder.go(*names)
    assert statuses(run.wait()) == ["completed"] * 5


def test_the_rest_goes_on(folder: TaskFolder) -> None:
    """TASK-13: one that fails does not stop the others; the document is that of `parallel` (TASK-7b)."""
    folder.settings(JUDGES)
    answer = folder.weft("compare", "--backends", "fails,cat", "hello", "--json")
    assert (answer.code, statuses(answer), outputs(answer)) == (1, ["failed", "completed"], ["", "hello"])
    assert [result["backend"] for result in answer.document["results"]] == ["fails", "cat"]
    check_counts(answer.document)


def test_the_judge_ranks_without_knowing(folder: TaskFolder) -> None:
    """TASK-13: answers are anonymous, failed ones are left out, and the verdict is structured."""
    folder.settings(JUDGES)
    folder.file('So it is.\n```json\n{"ranking": ["B", "A"], "reason": "clearer"}\n```\n', "verdict.txt")
    answer = folder.weft("compare", "--backends", "cat,fails,upper", "what is it", "--judge", "judge", "--json")
    asked = (folder.place / "judged.txt").read_text()
    assert all(name not in asked for name in ("upper", "fails", "broken", "place#"))
    assert asked.index("Answer A") < asked.index("Answer B")
    assert "Answer C" not in asked
    assert ("what is it" in asked, "WHAT IS IT" in asked) == (True, True)
    first = "cat" if "```text\nwhat is it" in asked[asked.index("Answer B") :] else "upper"
    judge = answer.document["judge"]
    assert (judge["backend"], judge["reason"]) == ("judge", "clearer")
    assert [one["backend"] for one in judge["ranking"]] == [first, {"cat": "upper", "upper": "cat"}[first]]
    assert answer.document["total_tasks"] == len(answer.document["results"]) == 3
    assert list(answer.document)[-1] == "judge"


@pytest.mark.parametrize(
    "verdict",
    ["", "A is best", '{"ranking": ["A"]}', '{"ranking": ["A", "A"]}', '{"ranking": ["A", "B", "C"]}',
     '{"ranking": ["A", "B"], "winner": "A"}', '{"ranking": ["A", "B"]}\nor so I think'],
)  # fmt: skip
def test_what_is_no_ranking_is_none(folder: TaskFolder, verdict: str) -> None:
    """TASK-13: fails closed: no verdict is made up, and the command fails."""
    folder.settings(JUDGES)
    folder.file(verdict, "verdict.txt")
    answer = folder.weft("compare", "--backends", "cat,upper", "x", "--judge", "judge", "--json")
    judge = answer.document["judge"]
    assert (answer.code, judge["ranking"], judge["error"]) == (
        1,
        None,
        "the judge gave no valid ranking of the answers",
    )
    assert statuses(answer) == ["completed"] * 2


def test_nothing_to_rank(folder: TaskFolder) -> None:
    """TASK-13: with one answer the judge is not asked."""
    folder.settings(JUDGES)
    answer = folder.weft("compare", "--backends", "cat,fails", "x", "--judge", "judge", "--json")
    assert answer.document["judge"]["error"] == "there is nothing to rank: 1 of the agents gave an answer"
    assert not (folder.place / "judged.txt").exists()


def test_a_file_says_it_all(folder: TaskFolder) -> None:
    """TASK-13: `--file` with prompt, agents and judge; or a text that is the prompt."""
    folder.settings(JUDGES)
    folder.file('{"ranking": ["A", "B"]}', "verdict.txt")
    folder.file("prompt: hello\nbackends: [cat, upper]\njudge: judge\n", "c.yaml")
    answer = folder.weft("compare", "--file", "c.yaml", "--json")
    assert (answer.code, outputs(answer), len(answer.document["judge"]["ranking"])) == (0, ["hello", "HELLO"], 2)
    folder.file("--what?\n", "question.md")
    assert outputs(folder.weft("compare", "--file", "question.md", "--backends", "cat", "--json")) == ["--what?"]
    assert outputs(folder.weft("compare", "--file", "-", "--backends", "cat", "--json", stdin="piped")) == ["piped"]


def test_all_backends(folder: TaskFolder) -> None:
    """TASK-13: every agent that can run here; those left out are named."""
    programs = {"cat": "/bin/cat", "gone": "no-such-program"}
    agents = [f'[agents.{name}]\nkind = "command"\nargv = ["{program}"]\n' for name, program in programs.items()]
    (folder.place / "weft.toml").write_text("".join(agents))
    answer = folder.weft("compare", "--all-backends", "x", "--json", variables={"PATH": "/usr/bin:/bin"})
    assert [result["backend"] for result in answer.document["results"]] == ["cat"]
    note = next(line for line in answer.lines if line.startswith("note: left out"))
    assert all(name in note for name in ("gone", "scripted", "claude"))


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--backends", "cat,nope", "x"], 'command line: backends[1] = "nope": must be one of'),
        (["--backends", "cat,cat", "x"], "`cat` is named twice"),
        (["--backends", "cat"], "There is neither a PROMPT nor a --file"),
        (["x"], "No agents to compare"),
        (["--backends", "cat", "--all-backends", "x"], "--backends and --all-backends exclude each other"),
        (["--backends", "cat,upper", "x", "--judge", "nope"], "judge = `nope`: must be one of"),
        (["--backends", "cat", "x", "--judge", "cat"], "A judge ranks from 2 to 26 answers, and 1 agents are asked"),
        (["--backends", "cat", "x", "--workdir", "nowhere"], 'command line: workdir = "nowhere": must be a folder'),
    ],
)
def test_what_cannot_be_compared(folder: TaskFolder, args: list[str], said: str) -> None:
    """TASK-13: exit 2, before anything starts."""
    answer = folder.weft("compare", *args)
    assert (answer.code, answer.lines[0].startswith(f"error: {said}")) == (2, True), answer.err


def test_schemas_are_printed(folder: TaskFolder) -> None:
    """`weft schema` prints JSON Schema of each kind of file."""
    for kind in ("tasks", "chain", "compare"):
        schema = json.loads(folder.weft("schema", kind).out)
        assert schema["$schema"].startswith("https://json-schema.org/")
        assert schema["$defs"]
    assert folder.weft("schema", "nope").code == 2
