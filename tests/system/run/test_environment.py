"""What agents and gates find in their environment: an allow-list, what settings name, and no token of Weft's."""

from __future__ import annotations

import pytest
from tests.support.shop import Shop

SECRETS = {
    "GITHUB_TOKEN": "secret-1",
    "GH_TOKEN": "secret-2",
    "GH_ENTERPRISE_TOKEN": "secret-3",
    "WEFT_GITHUB_TOKEN": "secret-4",
    "WEFT_SECRET": "secret-5",
    "AWS_SECRET_ACCESS_KEY": "secret-6",
    "OTHER": "secret-7",
    "LD_PRELOAD_NOT": "secret-8",
}


@pytest.fixture(autouse=True)
def secrets(shop: Shop) -> None:
    """Weft itself was started with all of them."""
    shop.with_variables(**SECRETS)


def variables(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def test_of_an_agent(shop: Shop) -> None:
    """The allow-list, Weft's own variables about the session, and nothing else; `env` passes what it names."""
    shop.settings(more='env = ["MY_KEY", "NOT_SET"]')
    shop.issues("1")
    shop.does("exec", "env > env.txt")
    answer = shop.run("1", MY_KEY="mine", LC_TIME="C", HTTPS_PROXY="http://p")
    assert answer.code == 0
    found = variables(shop.repo.show("weft/1-thing-1", "env.txt"))
    assert "secret" not in "".join(found.values())
    run = answer.document["run"]
    assert found["MY_KEY"] == "mine"
    assert found["LC_TIME"] == "C"
    assert found["HTTPS_PROXY"] == "http://p"
    assert found["HOME"] == shop.environment["HOME"]
    assert (found["WEFT_RUN"], found["WEFT_JOB"], found["WEFT_PHASE"]) == (run, "shop#1", "exec")
    assert found["WEFT_ATTEMPT"] == f"{run}/shop#1/exec/1"
    assert found["WEFT_WORKDIR"] == found["PWD"]
    assert found["WEFT_ISSUE_FILE"].endswith(".issue.md")
    assert "WEFT_HOME" not in found
    assert "NOT_SET" not in found


def test_of_a_gate_and_the_set_up(shop: Shop) -> None:
    """The same for the commands that Weft itself runs; `gates.env` passes what it names."""
    out = shop.root / "gate.env"
    setup = shop.root / "setup.env"
    shop.settings("", test=f"env > {out}", more=f'[workspace]\nsetup = "env > {setup}"')
    text = (shop.repo.path / "weft.toml").read_text()
    shop.repo.write("weft.toml", text.replace('lint = ""', 'lint = ""\nenv = ["DATABASE"]'))
    shop.issues("1")
    assert shop.run("1", DATABASE="db").code == 0
    for file in (out, setup):
        found = variables(file.read_text())
        assert "secret" not in "".join(found.values())
        assert found["DATABASE"] == "db"
        assert "WEFT_HOME" not in found


def test_a_token_cannot_be_asked_for(shop: Shop) -> None:
    """Naming Weft's own token in `env` is exit 2: agents never get it."""
    shop.settings(more='env = ["GITHUB_TOKEN"]')
    shop.issues("1")
    answer = shop.weft("run", "1")
    assert answer.code == 2
    assert "GITHUB_TOKEN" in answer.err
    assert "secret" not in answer.err
    assert shop.runs() == []


def test_no_secret_in_what_is_written(shop: Shop) -> None:
    """Values of variables are in no journal, prompt or transcript of Weft's."""
    shop.settings("", more='env = ["MY_KEY"]')
    shop.issues("1")
    assert shop.run("1", MY_KEY="secret-9").code == 0
    written = b"".join(path.read_bytes() for path in shop.state.rglob("*") if path.is_file())
    assert b"secret-" not in written


def test_standard_input_is_the_prompt(shop: Shop) -> None:
    """An agent reads its prompt to the end of stdin; a gate's is empty, so that nothing waits for a person."""
    shop.settings("", test='test -z \\"$(cat)\\"')
    shop.issues("1")
    shop.does("exec", "cat > read.txt")
    assert shop.run("1").code == 0
    assert shop.repo.show("weft/1-thing-1", "read.txt") == shop.prompt("1", "exec").rstrip("\n")
