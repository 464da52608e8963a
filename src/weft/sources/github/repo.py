"""A repo on GitHub or on a GitHub Enterprise server: where its API is, and where git finds it."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

import msgspec

PUBLIC_API = "https://api.github.com"
_PUBLIC_HOST = "github.com"
_NAME = r"[A-Za-z0-9._-]+"
_SCP_LIKE = re.compile(rf"(?:[^@/:\s]+@)?(?P<host>[A-Za-z0-9.-]+):/?(?P<path>{_NAME}/{_NAME}?)/?")
_PATH = re.compile(rf"(?P<owner>{_NAME})/(?P<name>{_NAME}?)(?:\.git)?")


class GithubRepo(msgspec.Struct, frozen=True):
    owner: str
    name: str
    api_url: str = PUBLIC_API

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"

    def path(self, *parts: str | int) -> str:
        """A path below the repo's in the API; no part can leave it, whatever it holds."""
        return "/".join(("/repos", quote(self.owner), quote(self.name), *(quote(str(part), safe="") for part in parts)))

    def is_same(self, full_name: str) -> bool:
        """GitHub does not tell `Acme/Shop` from `acme/shop`."""
        return full_name.lower() == self.full_name.lower()

    @property
    def clone_url(self) -> str:
        """Where git finds it over HTTP."""
        return f"{_web_root(self.api_url)}/{self.full_name}.git"


def repo_of(full_name: str, api_url: str | None = None) -> GithubRepo:
    """From settings: `acme/shop`, and the API's address where it is not GitHub's own."""
    owner, _, name = full_name.partition("/")
    return GithubRepo(owner, name, (api_url or PUBLIC_API).rstrip("/"))


def repo_of_remote(url: str, api_url: str | None = None) -> GithubRepo | None:
    """What a remote's address says, in any of the ways git has them; None for a folder and the like."""
    host, path = _host_and_path(url)
    match = _PATH.fullmatch(path.strip("/"))
    if not host or not match:
        return None
    return GithubRepo(match["owner"], match["name"], (api_url or api_url_of(host, url)).rstrip("/"))


def api_url_of(host: str, url: str = "") -> str:
    """GitHub's own, else as Enterprise servers have it."""
    if host.partition(":")[0].lower() in (_PUBLIC_HOST, f"www.{_PUBLIC_HOST}", f"ssh.{_PUBLIC_HOST}"):
        return PUBLIC_API
    scheme = "http" if url.startswith("http://") else "https"
    return f"{scheme}://{host}/api/v3"


def _host_and_path(url: str) -> tuple[str, str]:
    if "://" not in url:
        match = _SCP_LIKE.fullmatch(url)
        return (match["host"], match["path"]) if match else ("", "")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https", "ssh", "git+ssh", "git"):
        return "", ""
    named = parts.netloc.rpartition("@")[2]
    return (named if parts.scheme.startswith("http") else parts.hostname or ""), parts.path


def _web_root(api_url: str) -> str:
    if api_url == PUBLIC_API:
        return f"https://{_PUBLIC_HOST}"
    parts = urlsplit(api_url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2].removeprefix('api.')}"
