"""`weft init` finds the remote, `weft doctor` checks the token's rights."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from tests.support.github_server import Answer
from tests.support.github_shop import GithubShop


def finding(hub: GithubShop, token: str | None = None) -> dict[str, Any] | None:
    known = hub.server.token if token is None else token
    document = json.loads(hub.shop.weft("doctor", "--json", GITHUB_TOKEN=known).out)
    return next((each for each in document["checks"] if each["name"] == "github"), None)


def settings(hub: GithubShop) -> dict[str, Any]:
    return tomllib.loads((hub.shop.repo.path / "weft.toml").read_text())


def test_a_token_that_may_do_it_all(hub: GithubShop) -> None:
    """The repo and where the token came from are said; nothing is written on GitHub."""
    found = finding(hub)
    assert found is not None
    assert (found["status"], found["detail"]) == ("ok", "acme/shop with the token from `GITHUB_TOKEN`")
    assert not hub.repo.pulls


def test_rights_that_are_missing(hub: GithubShop) -> None:
    """Each is named as GitHub's settings have it."""
    hub.repo.permissions["push"] = False
    hub.server.fail(Answer(403, "Resource not accessible by personal access token"), "POST", "/pulls$")
    hub.server.fail(Answer(403, "Resource not accessible by personal access token"), "GET", "/issues$")
    found = finding(hub)
    assert found is not None
    assert found["status"] == "problem"
    for right in ("Issues: read and write", "Pull requests: read and write", "Contents: read and write"):
        assert right in found["detail"]


def test_tokens_that_are_wrong_or_not_there(hub: GithubShop) -> None:
    """What is wrong is said with what to do, and without the token."""
    wrong = finding(hub, "ghp_wrong")
    assert wrong is not None
    assert (wrong["status"], "Bad credentials" in wrong["detail"]) == ("problem", True)
    assert "ghp_wrong" not in json.dumps(wrong)
    none = finding(hub, "")
    assert none is not None
    assert "no token for GitHub" in none["detail"]


def test_a_folder_needs_no_github(hub: GithubShop) -> None:
    """Where settings have nothing to do with GitHub it is not asked."""
    hub.shop.settings()
    assert finding(hub) is None
    assert not hub.server.asked()


def test_init_with_a_remote_on_github(hub: GithubShop) -> None:
    """The remote's repo becomes the source of issues, whichever way its address is written."""
    hub.shop.repo.git("remote", "set-url", "origin", "git@github.com:acme/shop.git")
    answer = hub.shop.weft("init", "--force")
    assert answer.code == 0, answer.err
    assert settings(hub)["issues"] == {"source": "github", "repo": "acme/shop"}
    assert "acme/shop on GitHub" in answer.out


def test_init_on_an_enterprise_server(hub: GithubShop) -> None:
    """Another host is taken for one only when the user says so; then its API is set too."""
    assert hub.shop.weft("init", "--force").code == 0
    assert settings(hub)["issues"]["source"] == "folder"
    assert hub.shop.weft("init", "--force", "--github").code == 0
    wanted = {"source": "github", "repo": "acme/shop", "api_url": hub.server.api_url}
    assert settings(hub)["issues"] == wanted


def test_init_keeps_a_folder_that_has_issues(hub: GithubShop) -> None:
    """Issues that are there already are not left behind."""
    hub.shop.repo.git("remote", "set-url", "origin", "https://github.com/acme/shop")
    hub.shop.issues("1")
    assert hub.shop.weft("init", "--force").code == 0
    assert settings(hub)["issues"]["source"] == "folder"
    assert hub.shop.weft("init", "--force", "--github").code == 0
    assert settings(hub)["issues"]["source"] == "github"
