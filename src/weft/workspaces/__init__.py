"""Git worktrees for jobs: made, saved, brought back and removed. The only folder that calls git."""

from weft.workspaces.git import Git as Git
from weft.workspaces.git import GitFailed as GitFailed
from weft.workspaces.repository import RepoFacts as RepoFacts
from weft.workspaces.repository import Repository as Repository
from weft.workspaces.repository import find_repo as find_repo
from weft.workspaces.worktrees import GitWorkspaces as GitWorkspaces
