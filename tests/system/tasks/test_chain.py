"""`weft chain`: each step has what was said before."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.task_folder import TaskFolder, check_counts, outputs, statuses


def steps(folder: TaskFolder, *given: dict[str, Any], **whole: Any) -> str:
    return folder.file({"steps": [{"backend": "sh", **step} for step in given], **whole}, "chain.json")


def chain(folder: TaskFolder, *args: str) -> Any:
    return folder.weft("chain", "--file", "chain.json", "--json", *args)


def test_what_was_said_goes_on(folder: TaskFolder) -> None:
    """TASK-12: `{{previous}}` is the output of the step before, as it is without its last newline; names work too."""
    odd = "a 'b' $HOME `id` \\ {{previous}} {{x}}\n  indented\n\n"
    folder.file(odd, "odd.txt")
    steps(
        folder,
        {"name": "read", "prompt": "cat odd.txt"},
        {"name": "again", "backend": "cat", "prompt": "<{{previous}}>"},
        {"backend": "cat", "prompt": "{{steps.read.output}}|{{ steps.again.output }}|\\{{previous}}|{{previous}}"},
        {"backend": "cat", "prompt": "third: {{steps.3.output}}"},
    )
    answer = chain(folder)
    said = odd.removesuffix("\n")
    third = f"{said}|<{said}>|{{{{previous}}}}|<{said}>"
    assert outputs(answer) == [said, f"<{said}>", third, f"third: {third}"]
    assert [result.get("name") for result in answer.document["results"]] == ["read", "again", None, None]
    assert (answer.code, answer.document["not_run"]) == (0, [])


def test_megabytes_go_on(folder: TaskFolder) -> None:
    """TASK-12: what a step said reaches the next one whole."""
    steps(folder, {"prompt": "head -c 3000000 /dev/zero | tr '\\0' x"}, {"backend": "cat", "prompt": "{{previous}}!"})
    assert [len(said) for said in outputs(chain(folder))] == [3_000_000, 3_000_001]


def test_the_first_failure_ends_it(folder: TaskFolder) -> None:
    """TASK-12, TASK-7b: exit 1; the steps after it are in `not_run` and not in `results`, and the numbers add up."""
    steps(folder, {"name": "a", "prompt": "echo a"}, {"name": "b", "prompt": "echo half; exit 4"},
          {"name": "c", "prompt": "touch never"}, {"name": "d", "prompt": "touch never"})  # fmt: skip
    answer = chain(folder)
    assert (answer.code, statuses(answer)) == (1, ["completed", "failed"])
    assert answer.document["not_run"] == ["c", "d"]
    check_counts(answer.document)
    assert answer.document["total_tasks"] == 4
    assert not (folder.place / "never").exists()
    text = folder.weft("chain", "--file", "chain.json").out
    assert "3    sh           not run  -          c" in text
    assert "Total: 4 tasks, 1 completed, 1 failed, 2 cancelled" in text


def test_it_may_go_on_after_a_failure(folder: TaskFolder) -> None:
    """TASK-12: `stop_on_failure: false` runs all steps in order; what the failed one said is there."""
    steps(
        folder, {"prompt": "echo half; exit 4"}, {"backend": "cat", "prompt": "[{{previous}}]"}, stop_on_failure=False
    )
    answer = chain(folder)
    assert (answer.code, statuses(answer), outputs(answer)) == (1, ["failed", "completed"], ["half", "[half]"])


def test_one_at_a_time(folder: TaskFolder) -> None:
    """TASK-12: a step starts when the one before has ended, and no lever changes that."""
    steps(folder, {"prompt": folder.hold("a")}, {"prompt": folder.hold("b")})
    run = folder.start("chain", "--file", "chain.json", "--json")
    run.until(folder.at("a"))
    assert folder.weft("cap", "5").code == 0
    folder.go("a")
    run.until(folder.at("b"))
    folder.go("b")
    assert statuses(run.wait()) == ["completed"] * 2


def test_the_last_output_is_printed_whole(folder: TaskFolder) -> None:
    """A chain comes to its last output."""
    steps(folder, {"prompt": "echo a"}, {"name": "end", "prompt": "echo one; echo two"})
    lines = folder.weft("chain", "--file", "chain.json").out.splitlines()
    assert lines[0] == "Running 2 steps one after the other..."
    assert lines[lines.index("Output of end:") + 1 :][:2] == ["one", "two"]


@pytest.mark.parametrize(
    ("prompts", "said"),
    [
        (["{{previous}}"], "steps[0].prompt: `{{previous}}` means nothing in the first step"),
        (["x", "{{prev}}"], "steps[1].prompt: unknown placeholder `{{prev}}`; known: `{{previous}}`"),
        (["x", "{{steps.nope.output}}"], "steps[1].prompt: `{{steps.nope.output}}` names no step; known: `1`"),
        (["{{steps.2.output}}", "x"], "steps[0].prompt: `{{steps.2.output}}` does not come before this step"),
        (["x", "{{steps.2.output}}"], "steps[1].prompt: `{{steps.2.output}}` does not come before this step"),
        (["x", "{{previous}"], "steps[1].prompt: unknown placeholder `{{`"),
        (["x", "{{}}"], "steps[1].prompt: unknown placeholder `{{}}`"),
    ],
)
def test_placeholders_that_mean_nothing(folder: TaskFolder, prompts: list[str], said: str) -> None:
    """TASK-12: exit 2, before anything starts."""
    steps(folder, *({"prompt": prompt} for prompt in prompts))
    answer = folder.weft("chain", "--file", "chain.json")
    assert (answer.code, answer.lines[0].startswith(f"error: chain.json: {said}")) == (2, True), answer.err
    assert not folder.state.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", 'Expected an object with "steps", got a list'),
        ('{"steps": []}', "No steps"),
        ('{"steps": [{"name": "a", "backend": "cat", "prompt": "x"}, {"name": "a", "backend": "cat", "prompt": "x"}]}',
         'chain.json: steps[1].name = "a": must be the name of one step only; steps[0] has it too'),
        ('{"steps": [{"backend": "cat", "prompt": "x", "id": "a"}]}', "chain.json: steps[0].id: unknown field"),
    ],
)  # fmt: skip
def test_bad_chains(folder: TaskFolder, text: str, said: str) -> None:
    """TASK-2, TASK-12: the same care as with task files."""
    folder.file(text, "chain.json")
    answer = folder.weft("chain", "--file", "chain.json")
    assert (answer.code, answer.lines[0].startswith(f"error: {said}")) == (2, True), answer.err


def test_a_chain_that_was_cut_short_goes_on(folder: TaskFolder) -> None:
    """TASK-9, TASK-12: `--resume` begins where it ended, with what the steps before had said."""
    steps(folder, {"prompt": "echo once >> count; echo one"}, {"prompt": "test -e mended && echo '{{previous}} two'"})
    assert chain(folder).code == 1
    (folder.place / "mended").touch()
    answer = folder.weft("chain", "--resume", folder.runs()[-1], "--json")
    assert (answer.code, outputs(answer)) == (0, ["one", "one two"])
    assert (folder.place / "count").read_text() == "once\n"
