"""An agent whose program is not there is said before anything starts (principle 5)."""

from __future__ import annotations

import pytest
from tests.support.shop import Shop


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ('["clod", "{phase}"]', "agents.mine.argv: the program `clod` is not on the PATH"),
        ('["/nowhere/clod"]', "agents.mine.argv: the program `/nowhere/clod` does not exist"),
        ('["./plain.sh"]', "is not executable"),
    ],
)
def test_a_program_that_cannot_start(shop: Shop, argv: str, said: str) -> None:
    """Exit 2 names the agent, the key and the program; nothing was started."""
    shop.issues("1")
    shop.repo.write("plain.sh", "#!/bin/sh\n")
    text = (shop.repo.path / "weft.toml").read_text()
    line = next(line for line in text.splitlines() if line.startswith("argv"))
    shop.repo.write("weft.toml", text.replace(line, f"argv = {argv}"))
    answer = shop.weft("run", "1")
    assert answer.code == 2
    assert said in answer.lines[0]
    assert answer.lines[1].startswith("hint: ")
    assert (shop.runs(), shop.branches()) == ([], set())


def test_a_program_that_comes_with_the_workspace(shop: Shop) -> None:
    """One that the repo's set-up makes is not looked for in the checkout."""
    made = "printf '#!/bin/sh\\necho x > 1.txt\\n' > made.sh; chmod +x made.sh"
    shop.settings(more=f"[workspace]\nsetup = '''{made}'''")
    text = (shop.repo.path / "weft.toml").read_text()
    line = next(line for line in text.splitlines() if line.startswith("argv"))
    shop.repo.write("weft.toml", text.replace(line, 'argv = ["./made.sh"]'))
    shop.issues("1")
    answer = shop.run("1")
    assert answer.statuses == {"1": "passed"}, answer.out
