"""One worker per issue: a lock file that says who, and a kernel lock on it that says whether they live.

Synchronous and quick: an operation is a few system calls. Nobody waits for a lock; who is blocked is told by whom.
"""

from weft.locks.acquire import acquire as acquire
from weft.locks.acquire import acquire_for as acquire_for
from weft.locks.clearing import Outcome as Outcome
from weft.locks.clearing import clear as clear
from weft.locks.clearing import release_by_pid as release_by_pid
from weft.locks.folder import LockFolder as LockFolder
from weft.locks.folder import lock_folder as lock_folder
from weft.locks.held import HeldLock as HeldLock
from weft.locks.holder import Claim as Claim
from weft.locks.holder import Holder as Holder
from weft.locks.looking import check as check
from weft.locks.looking import held as held
from weft.locks.looking import list_locks as list_locks
from weft.locks.looking import warn_lines as warn_lines
from weft.locks.messages import blocked as blocked
from weft.locks.messages import locked_by as locked_by
from weft.locks.messages import lost as lost
from weft.locks.names import is_name as is_name
from weft.locks.names import parse_name as parse_name
from weft.locks.network import network_warning as network_warning
from weft.locks.signalling import SignalOutcome as SignalOutcome
from weft.locks.signalling import signal_holder as signal_holder
from weft.locks.state import Condition as Condition
from weft.locks.state import LockState as LockState
