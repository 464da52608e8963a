"""The shop with its issues on a GitHub server on loopback, and its branches pushed there."""

from __future__ import annotations

from pathlib import Path

from tests.support.github_server import GithubServer, Pull, Repo
from tests.support.shop import Shop

SETTINGS = """
[issues]
source = "github"
api_url = "{api_url}"
{issues}
"""


class GithubShop:
    """`shop` is the user's clone; `repo` is what the server knows."""

    def __init__(self, shop: Shop, server: GithubServer, full_name: str = "acme/shop") -> None:
        self.shop = shop
        self.server = server
        self.repo: Repo = server.repo(full_name)
        self.settings()
        shop.repo.git("push", "-q", str(self.repo.folder), "main")
        shop.repo.git("remote", "add", "origin", self.repo.clone_url)
        shop.with_variables(GITHUB_TOKEN=server.token)

    def settings(self, run: str = 'phases = ["exec"]', *, test: str = "", more: str = "", issues: str = "") -> None:
        own = SETTINGS.format(api_url=self.server.api_url, issues=issues)
        self.shop.settings(run, test=test, more=f"{more}\n{own}")

    def issues(self, *numbers: int) -> list[str]:
        for number in numbers:
            self.repo.issue(number, f"Thing {number}", f"Do {number}.")
        return [str(number) for number in numbers]

    def pulls(self) -> dict[str, Pull]:
        """By branch; there may be no second one for a branch."""
        pulls = list(self.repo.pulls.values())
        found = {pull.head: pull for pull in pulls}
        assert len(found) == len(pulls), f"several pull requests of one branch: {[pull.head for pull in pulls]}"
        return found

    def pushed(self, branch: str) -> list[str]:
        """What the branch has on the server beyond the base, the newest first."""
        return self.repo.git.commits(branch)

    def texts_kept(self) -> dict[Path, bytes]:
        """Every file of the state folder and of the user's repo."""
        files = [path for root in (self.shop.state, self.shop.repo.path) for path in root.rglob("*") if path.is_file()]
        return {path: path.read_bytes() for path in files}
