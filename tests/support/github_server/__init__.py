"""A GitHub server on loopback, close to the real one in what Weft uses.

with GithubServer(tmp_path) as github:
    shop = github.repo("acme/shop")
    shop.issue(1, "Add login")
    ...  # settings: issues.api_url = github.api_url, the token is github.token, the remote is shop.clone_url
"""

from tests.support.github_server.faults import Answer as Answer
from tests.support.github_server.faults import DoneButFailed as DoneButFailed
from tests.support.github_server.faults import Drop as Drop
from tests.support.github_server.faults import Fault as Fault
from tests.support.github_server.faults import Slow as Slow
from tests.support.github_server.server import GithubServer as GithubServer
from tests.support.github_server.world import Comment as Comment
from tests.support.github_server.world import Issue as Issue
from tests.support.github_server.world import Pull as Pull
from tests.support.github_server.world import Repo as Repo
