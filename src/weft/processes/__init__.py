"""Start, follow and stop processes: the one door. Nothing else in Weft spawns."""

from weft.processes.capture import Completed as Completed
from weft.processes.capture import capture as capture
from weft.processes.child import Child as Child
from weft.processes.door import Warden as Warden
from weft.processes.follow import Followed as Followed
from weft.processes.follow import follow as follow
from weft.processes.follow import tail as tail
from weft.processes.identity import Identity as Identity
from weft.processes.identity import await_gone as await_gone
from weft.processes.identity import identity_of as identity_of
from weft.processes.launch import Exit as Exit
from weft.processes.launch import Launch as Launch
from weft.processes.launch import read_status as read_status
from weft.processes.link import LOST as LOST
from weft.processes.link import WardenDiedError as WardenDiedError
from weft.processes.marked import end_marked as end_marked
from weft.processes.marked import find_marked as find_marked
