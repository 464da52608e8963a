"""A wave from a plan file: TOML, YAML or JSON, checked whole."""

from __future__ import annotations

import json

import pytest
from tests.support.fleet import Fleet, statuses

TOML = """\
name = "Billing"
cap = 1

[[jobs]]
repo = "ui"
issue = 1
depends_on = ["api#refactor", "api#2"]

[[jobs]]
repo = "api"
issue = 2
estimate = "30m"
priority = 5

[[jobs]]
repo = "api"
id = "refactor"
prompt = "take the prices apart"
estimate = 60
touches = ["src/**"]
"""
YAML = """\
name: Billing
cap: 1
jobs:
  - {repo: ui, issue: 1, depends_on: ["api#refactor", "api#2"]}
  - {repo: api, issue: 2, estimate: 30m, priority: 5}
  - {repo: api, id: refactor, prompt: take the prices apart, estimate: 60, touches: ["src/**"]}
"""
JSON = json.dumps(
    {
        "name": "Billing",
        "cap": 1,
        "jobs": [
            {"repo": "ui", "issue": 1, "depends_on": ["api#refactor", "api#2"]},
            {"repo": "api", "issue": 2, "estimate": "30m", "priority": 5},
            {"repo": "api", "id": "refactor", "prompt": "take the prices apart", "estimate": 60, "touches": ["src/**"]},
        ],
    }
)


@pytest.mark.parametrize(("name", "text"), [("w.toml", TOML), ("w.yaml", YAML), ("w.json", JSON)])
def test_the_same_plan_in_three_formats(fleet: Fleet, name: str, text: str) -> None:
    """Jobs, order, levels and cap are as the file says; what it does not say is as the issue and the settings say."""
    fleet.issues("ui#1", "api#2", "api#3")
    (fleet.folder / name).write_text(text)
    document = fleet.wave("plan", name, "--json").document
    assert [job["key"] for job in document["jobs"]] == ["ui#1", "api#2", "api#refactor"]
    assert document["order"] == ["api#2", "api#refactor", "ui#1"]
    assert document["levels"] == [["api#2", "api#refactor"], ["ui#1"]]
    assert document["critical_path"] == ["api#2", "ui#1"]
    assert (document["cap"], document["wave"]) == (1, "Billing")
    assert {repo["target"] for repo in document["repos"]} == {"weft/billing"}
    assert {job["title"] for job in document["jobs"]} == {"Thing 1", "Thing 2", "take the prices apart"}


def test_it_runs(fleet: Fleet) -> None:
    """Issues and prompts of several repos in one wave; `--cap` goes before the file's."""
    fleet.issues("ui#1", "api#2")
    (fleet.folder / "w.toml").write_text(TOML)
    answer = fleet.run("w.toml", "--cap", "2")
    assert answer.code == 0
    assert statuses(answer) == {"ui#1": "passed", "api#2": "passed", "api#refactor": "passed"}
    assert fleet.first.sessions() == ["api-2", "api-refactor", "ui-1"]


def test_repos_of_its_own(fleet: Fleet) -> None:
    """A file may list its repos, with the keys of `[[repos]]`; paths are meant from the file's folder."""
    fleet.issues("ui#1", "api#2")
    inner = fleet.folder / "plans"
    inner.mkdir()
    text = '[[repos]]\nname = "front"\npath = "../../ui"\nwidth = 2\n[[jobs]]\nrepo = "front"\nissue = 1\n'
    (inner / "small.toml").write_text(text)
    document = fleet.wave("plan", "plans/small.toml", "--json").document
    assert [job["key"] for job in document["jobs"]] == ["front#1"]
    assert (document["wave"], document["cap"], document["repos"][0]["width"]) == ("small", 1, 2)


BAD = {
    "unknown key": (
        'nmae = "x"\n[[jobs]]\nrepo = "api"\nissue = 2\n',
        "w.toml: nmae: unknown field, did you mean `name`?",
    ),
    "unknown key of a job": (
        '[[jobs]]\nrepo = "api"\nisue = 2\n',
        "w.toml: jobs[0].isue: unknown field, did you mean `issue`?",
    ),
    "unknown key of a repo": (
        '[[repos]]\npath = "../api"\nwdith = 2\n[[jobs]]\nrepo = "api"\nissue = 2\n',
        "w.toml: repos[0].wdith: unknown key, did you mean `width`?",
    ),
    "no jobs": ('name = "x"\n', "w.toml: jobs: missing"),
    "jobs as text": ('jobs = "x"\n', "w.toml: jobs: must be a list of jobs, at least one, got a text"),
    "neither issue nor prompt": ('[[jobs]]\nrepo = "api"\n', "w.toml: jobs[0]: must have either `issue` or `prompt`"),
    "both": ('[[jobs]]\nrepo = "api"\nissue = 2\nprompt = "x"\n', "w.toml: jobs[0]: must have either"),
    "unknown repo": (
        '[[jobs]]\nrepo = "apo"\nissue = 2\n',
        'w.toml: jobs[0].repo = "apo": must be one of `api`, `ui`, did you mean `api`?',
    ),
    "unknown issue": ('[[jobs]]\nrepo = "api"\nissue = 99\n', "w.toml: jobs[0].issue = 99: must be an issue of `api`"),
    "twice": (
        '[[jobs]]\nrepo = "api"\nissue = 2\n[[jobs]]\nrepo = "api"\nissue = 2\n',
        "w.toml: jobs[1]: is api#2, as jobs[0] is",
    ),
    "estimate": (
        '[[jobs]]\nrepo = "api"\nissue = 2\nestimate = "soon"\n',
        'w.toml: jobs[0].estimate = "soon": must be ',
    ),
    "cap": ('cap = 0\n[[jobs]]\nrepo = "api"\nissue = 2\n', "w.toml: cap = 0: must be a whole number from 1 up"),
    "touches": (
        '[[jobs]]\nrepo = "api"\nissue = 2\ntouches = ["../x"]\n',
        'w.toml: jobs[0].touches = ["../x"]: must be a list of paths within the repo',
    ),
    "depends_on": (
        '[[jobs]]\nrepo = "api"\nissue = 2\ndepends_on = ["a b"]\n',
        'w.toml: jobs[0].depends_on = ["a b"]: must be a list of issues',
    ),
    "not TOML": ("jobs = [", "Invalid TOML: w.toml: "),
    "empty": ("\n", "No input: w.toml is empty\nhint: `weft schema wave` says what such a file holds"),
    "a repo that is not there": (
        '[[repos]]\npath = "../nowhere"\n[[jobs]]\nrepo = "nowhere"\nissue = 2\n',
        "w.toml: repos[0].path = `../nowhere`: ",
    ),
}


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_named(fleet: Fleet, text: str, said: str) -> None:
    """Exit 2 with the file, the key and the value; nothing on stdout, nothing started."""
    fleet.issues("api#2")
    (fleet.folder / "w.toml").write_text(text)
    answer = fleet.wave("plan", "w.toml")
    assert (answer.code, answer.out) == (2, "")
    assert f"error: {said}" in answer.err


def test_a_file_that_is_not_there(fleet: Fleet) -> None:
    """An ending says that a file is meant, not a milestone."""
    answer = fleet.wave("plan", "nowhere.toml")
    assert answer.code == 2
    assert "error: `nowhere.toml` cannot be read: No such file or directory" in answer.err


def test_the_schema(fleet: Fleet) -> None:
    """`weft schema wave` describes the file for editors."""
    schema = fleet.first.weft("schema", "wave").document
    assert set(schema["$defs"]["WaveFile"]["properties"]) == {"$schema", "name", "cap", "jobs", "repos"}
    assert schema["$defs"]["WaveFile"]["required"] == ["jobs"]
