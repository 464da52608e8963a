"""A shop whose jobs stand in the merge queue for as long as a test wants: its gate waits for a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.shop import Shop
from tests.support.started import Started

from weft.model.events import JobQueued

TARGET = "weft/m1"

GATE = """\
# WEFT_ATTEMPT is RUN/REPO#ID/PHASE/NUMBER. The first that exists of PHASE-ID.gate and PHASE.gate says what happens.
number=${WEFT_ATTEMPT##*/} rest=${WEFT_ATTEMPT%/*}
phase=${rest##*/} rest=${rest%/*}
id=${rest##*#}
hold() {
    : > "$STAGE/reached.$1"
    until [ -e "$STAGE/go.$1" ] || [ -e "$STAGE/go.all" ]; do sleep 0.02; done
}
for script in "$phase-$id" "$phase"; do
    if [ -e "$STAGE/$script.gate" ]; then
        . "$STAGE/$script.gate"
        exit $?
    fi
done
"""


class GatedShop:
    """`run` starts issues whose branches reach the queue in the order given, and stay there until `shop.go`."""

    def __init__(self, shop: Shop, merge: str = "") -> None:
        self.shop = shop
        (shop.stage / "gate.sh").write_text(f'STAGE="{shop.stage}"\n{GATE}')
        gate = f"/bin/sh {shop.stage}/gate.sh"
        more = f'[merge]\ntarget = "{TARGET}"\n{merge}'
        shop.settings('phases = ["exec"]\nmerge = "queue"', test=gate, more=more)
        shop.does("exec", 'hold "exec-$id"; echo "work on $id" > "$id.txt"')
        self.gate("merge", 'hold "merge-$id"')

    def gate(self, name: str, script: str) -> None:
        """What the gate does on the merged tree (`merge`, `merge-1`) or on the target alone (`target`)."""
        (self.shop.stage / f"{name}.gate").write_text(script)

    def run(self, *idents: str, args: tuple[str, ...] = ("--json",)) -> Started:
        """Under way, with every one of them in the queue."""
        shop = self.shop
        shop.issues(*idents)
        started = shop.start("run", *idents, *args)
        for count, ident in enumerate(idents, 1):
            started.until(shop.reached(f"exec-{ident}"))
            shop.go(f"exec-{ident}")
            started.until(shop.has_event(JobQueued, count))
        return started

    def queue(self) -> dict[str, Any]:
        """The one queue there is."""
        (found,) = self.shop.weft("queue", "list", "--json").document["queues"]
        assert isinstance(found, dict)
        return found

    def states(self) -> dict[str, str]:
        return {item["key"].partition("#")[2]: item["state"] for item in self.queue()["items"]}

    def are(self, **states: str) -> Callable[[], bool]:
        """Whether the queue holds exactly these: `are(_1="testing")`."""
        wanted = {ident.removeprefix("_"): state for ident, state in states.items()}
        return lambda: self.states() == wanted
