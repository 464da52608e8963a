"""A remote's address says which repo it is, and where its API and git are."""

from __future__ import annotations

import pytest

from weft.sources.github.repo import PUBLIC_API, repo_of, repo_of_remote


@pytest.mark.parametrize(
    ("url", "api_url"),
    [
        ("https://github.com/acme/shop.git", PUBLIC_API),
        ("https://github.com/acme/shop", PUBLIC_API),
        ("https://github.com/acme/shop/", PUBLIC_API),
        ("https://ada:secret@github.com/acme/shop.git", PUBLIC_API),
        ("git@github.com:acme/shop.git", PUBLIC_API),
        ("github.com:acme/shop", PUBLIC_API),
        ("ssh://git@github.com/acme/shop.git", PUBLIC_API),
        ("ssh://git@ssh.github.com:443/acme/shop.git", PUBLIC_API),
        ("git@ghe.example.com:acme/shop.git", "https://ghe.example.com/api/v3"),
        ("https://ghe.example.com:8443/acme/shop.git", "https://ghe.example.com:8443/api/v3"),
        ("http://127.0.0.1:1234/acme/shop.git", "http://127.0.0.1:1234/api/v3"),
    ],
)
def test_addresses(url: str, api_url: str) -> None:
    """In every way that git writes them."""
    found = repo_of_remote(url)
    assert found is not None
    assert (found.full_name, found.api_url) == ("acme/shop", api_url)
    assert "secret" not in repr(found)


@pytest.mark.parametrize(
    "url", ["/srv/shop.git", "../shop", "file:///srv/acme/shop.git", "shop", "C:\\shop", "https://github.com/acme", ""]
)
def test_no_github(url: str) -> None:
    """A folder is no repo of GitHub's, and neither is an address without owner and name."""
    assert repo_of_remote(url) is None


def test_settings_win() -> None:
    """`issues.api_url` says where the API is, whatever the remote looks like."""
    found = repo_of_remote("git@alias:acme/shop.git", "https://ghe.example.com/api/v3/")
    assert found is not None
    assert found.api_url == "https://ghe.example.com/api/v3"


@pytest.mark.parametrize(
    ("api_url", "clone_url"),
    [
        (None, "https://github.com/acme/shop.git"),
        ("https://ghe.example.com/api/v3", "https://ghe.example.com/acme/shop.git"),
        ("https://api.acme.ghe.com", "https://acme.ghe.com/acme/shop.git"),
    ],
)
def test_where_git_finds_it(api_url: str | None, clone_url: str) -> None:
    """From the API's address, where there is no remote."""
    assert repo_of("acme/shop", api_url).clone_url == clone_url


@pytest.mark.parametrize("part", ["../../other/repo", "a/b", "?x=1", "#x", "%2e%2e/"])
def test_no_part_leaves_the_path(part: str) -> None:
    """SEC-2: a label such as `../../x` stays one part of the path."""
    path = repo_of("acme/shop").path("issues", 1, "labels", part)
    assert path.startswith("/repos/acme/shop/issues/1/labels/")
    assert not set(path.removeprefix("/repos/acme/shop/issues/1/labels/")) & set("/?#")
