"""What git needs to push with the token: in the environment of that one process, never in an argument or a file."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping

from weft.sources.github.token import Token


def git_credentials(token: Token, url: str) -> Mapping[str, str]:
    """Variables for a git that talks to `url` over HTTP; none for other ways, where git has its own. The header goes to
    this address alone, so that no redirection or rewriting takes it elsewhere.
    """
    if not url.startswith(("http://", "https://")):
        return {}
    secret = b64encode(f"x-access-token:{token.reveal()}".encode()).decode()
    name = f"http.{url}.extraHeader"
    # Empty values forget what files say: GitHub refuses two headers, and a helper might ask someone.
    settings = [(name, ""), (name, f"Authorization: Basic {secret}"), ("credential.helper", "")]
    numbered = {
        f"GIT_CONFIG_{kind}_{number}": text
        for number, pair in enumerate(settings)
        for kind, text in zip(("KEY", "VALUE"), pair, strict=True)
    }
    return {"GIT_CONFIG_COUNT": str(len(settings)), **numbered}
