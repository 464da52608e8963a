"""Claims a run, starts a child that outlives it, and waits to be killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from weft.model.ids import RunId
from weft.stores.claims import claim_run

claim = claim_run(Path(sys.argv[1]), RunId(sys.argv[2]))
# Standard input is shared with the child, which goes when the test closes it.
child = subprocess.Popen(["cat"], stdout=subprocess.DEVNULL, close_fds=False)
print(child.pid, flush=True)
child.wait()
