"""Work that comes back is mended in the session that did it, where the agent can (MERGE-4); crashes (RECOVER-3)."""

from __future__ import annotations

import signal

import pytest
from tests.support.shop import Shop

from weft.model.events import PhaseEnded, SessionEnded
from weft.model.outcome import PhaseStatus

AGENT = """\
[phases.exec]
agent = "mind"

[agents.mind]
kind = "command"
argv = ["/bin/sh", "{stage}/mind.sh", "{{session}}"]
output = "jsonl"
"""
MIND = """\
STAGE={stage}
number=${{WEFT_ATTEMPT##*/}}
echo "$number:$1" >> "$STAGE/sessions"
cat > "$STAGE/prompt.$number"
if [ -n "$1" ] && ! grep -qx "$1" "$STAGE/known"; then
    echo '{{"type":"result","ok":false,"class":"setup","text":"no such session"}}'
    exit 1
fi
session=${{1:-s-$number}}
echo "$session" >> "$STAGE/known"
echo '{{"type":"started","session_id":"'$session'"}}'
. "$STAGE/acts.sh"
echo '{{"type":"result","ok":true,"text":"done"}}'
"""
ACTS = 'echo "$number" >> work.txt\n'


class Scene:
    """A shop whose exec is done by an agent with sessions."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        (shop.stage / "mind.sh").write_text(MIND.format(stage=shop.stage))
        (shop.stage / "known").touch()
        self.acts(ACTS)

    def settings(self, run: str = "", *, test: str = "", more: str = "") -> None:
        self.shop.settings(run, test=test, more=AGENT.format(stage=self.shop.stage) + more)
        self.shop.issues("1")

    def acts(self, script: str) -> None:
        (self.shop.stage / "acts.sh").write_text(script)

    def sessions(self) -> list[str]:
        """Attempt and the session it was to go on in, of each start of the agent."""
        return (self.shop.stage / "sessions").read_text().split()

    def prompt(self, number: int) -> str:
        return (self.shop.stage / f"prompt.{number}").read_text()


@pytest.fixture
def scene(shop: Shop) -> Scene:
    return Scene(shop)


RED_ONCE = "test $(wc -l < work.txt) -ge 2"


def test_the_quality_loop(scene: Scene) -> None:
    """A red gate sends the work back into the same session, which is told the findings alone, and the rules."""
    scene.settings('phases = ["exec", "qa"]', test=RED_ONCE)
    answer = scene.shop.run("1")
    assert answer.code == 0, answer.err
    assert scene.sessions() == ["1:", "2:s-1"]
    assert "Do 1." in scene.prompt(1)
    assert scene.prompt(2).startswith("Your work was checked and found wanting.")
    assert "Gate `test`" in scene.prompt(2)
    assert "Do 1." not in scene.prompt(2)


def test_where_settings_say_no(scene: Scene) -> None:
    """A session of its own, with the whole prompt."""
    scene.settings('phases = ["exec", "qa"]\nresume_sessions = false', test=RED_ONCE)
    assert scene.shop.run("1").code == 0
    assert scene.sessions() == ["1:", "2:"]
    assert "Do 1." in scene.prompt(2)
    assert "Gate `test`" in scene.prompt(2)


def test_an_unknown_session(scene: Scene) -> None:
    """The agent has forgotten it: a fresh session with the whole prompt does it, and the job does not fail."""
    scene.settings('phases = ["exec", "qa"]', test=RED_ONCE)
    scene.acts(ACTS + ': > "$STAGE/known"\n')
    answer = scene.shop.run("1")
    assert answer.code == 0, answer.err
    assert scene.sessions() == ["1:", "2:s-1", "3:"]
    assert "Do 1." in scene.prompt(3)
    assert "Gate `test`" in scene.prompt(3)


def test_an_agent_that_cannot(shop: Shop) -> None:
    """A program whose command line takes no session is told all of it each time."""
    shop.settings('phases = ["exec", "qa"]', test=RED_ONCE)
    shop.issues("1")
    shop.does("exec", "echo x >> work.txt\n")
    assert shop.run("1").code == 0
    assert "Do 1." in shop.prompt("1", "exec", 2)


HOLDS = 'if [ "$number" = 1 ]; then echo begun > begun.txt; : > "$STAGE/reached.begun"; sleep 300; fi\n' + ACTS


def killed(scene: Scene) -> None:
    """`weft run`, ended by kill -9 in the middle of the first session."""
    scene.acts(HOLDS)
    started = scene.shop.start("run", "1")
    started.until(scene.shop.reached("begun"))
    started.send(signal.SIGKILL)
    started.wait()


def test_after_a_crash_the_session_goes_on(scene: Scene) -> None:
    """With `recover.resume_sessions`: the same session, in the workspace as it was left (RECOVER-3)."""
    scene.settings('phases = ["exec"]', more="\n[recover]\nresume_sessions = true\n")
    killed(scene)
    answer = scene.shop.weft("recover", "--json")
    assert answer.code == 0, answer.err
    assert scene.sessions() == ["1:", "2:s-1"]
    assert scene.prompt(2).startswith("You were interrupted")
    shown = scene.shop.repo.git("ls-tree", "--name-only", answer.job("1")["branch"]).split()
    assert {"begun.txt", "work.txt"} <= set(shown)
    assert not scene.shop.debris()


def test_after_a_crash_it_starts_clean(scene: Scene) -> None:
    """By default what was begun is saved to a ref and the phase starts clean, in a fresh session (RECOVER-3)."""
    scene.settings('phases = ["exec"]')
    killed(scene)
    answer = scene.shop.weft("recover", "--json")
    assert answer.code == 0, answer.err
    assert scene.sessions() == ["1:", "2:"]
    shown = scene.shop.repo.git("ls-tree", "--name-only", answer.job("1")["branch"]).split()
    assert "begun.txt" not in shown
    saved = scene.shop.repo.git("for-each-ref", "--format=%(refname)", "refs/weft/saved").split()
    assert saved


def test_after_a_crash_an_unknown_session(scene: Scene) -> None:
    """The agent does not know it any more: what was begun is saved, and the phase starts clean."""
    scene.settings('phases = ["exec"]', more="\n[recover]\nresume_sessions = true\n")
    killed(scene)
    (scene.shop.stage / "known").write_text("")
    answer = scene.shop.weft("recover", "--json")
    assert answer.code == 0, answer.err
    assert scene.sessions() == ["1:", "2:s-1", "3:"]
    ends = [event.status for event in scene.shop.events() if isinstance(event, PhaseEnded)]
    assert ends == [PhaseStatus.LOST, PhaseStatus.RETRYING, PhaseStatus.PASSED]
    outcomes = [event.outcome for event in scene.shop.events() if isinstance(event, SessionEnded)]
    assert [outcome.session_id for outcome in outcomes] == [None, "s-3"]


MEETS = """\
id=${WEFT_JOB##*#}
: > "$STAGE/at.$id"
until [ -e "$STAGE/at.1" ] && [ -e "$STAGE/at.2" ]; do sleep 0.05; done
if grep -q '<<<<<<<' both.txt 2>/dev/null; then echo 1 and 2 > both.txt; else echo "$id" > both.txt; fi
"""


def test_a_repair_for_the_merge_queue(scene: Scene) -> None:
    """A conflict goes back to the author's session, which is told of it (MERGE-4)."""
    scene.settings('phases = ["exec"]\nmerge = "queue"')
    scene.shop.issues("2")
    scene.acts(MEETS)
    answer = scene.shop.run("1", "2")
    assert answer.statuses == {"1": "passed", "2": "passed"}, answer.err
    assert scene.sessions() == ["1:", "1:", "2:s-1"]
    assert scene.prompt(2).startswith("Your work was checked and found wanting.")
    assert "both.txt" in scene.prompt(2)
