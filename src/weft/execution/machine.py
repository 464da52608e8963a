"""The machine as the governor sees it: free memory, free disk, load, and what sessions use."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from weft.model.gauges import MachineReading, SessionNeed
from weft.model.ids import RunId
from weft.model.plan import Plan
from weft.processes.memory import memory_by_mark

CGROUP = Path("/sys/fs/cgroup")


class LocalMachine:
    """`warden`: the process under which all sessions run. Looks from a thread: a tree of many processes takes time."""

    def __init__(self, run: RunId, plan: Plan, disks: Sequence[Path], warden: Callable[[], int]) -> None:
        self._run = run
        self._disks = disks
        self._warden = warden
        self._agents = _AgentOf(plan)
        self._needs: Counter[str] = Counter()

    async def read(self) -> MachineReading:
        return await asyncio.to_thread(self._read)

    def _read(self) -> MachineReading:
        return MachineReading(
            free_memory=free_memory(),
            free_disk=_free_disk(self._disks),
            load=_load(),
            in_use=self._look_at_sessions(),
            needs=tuple(SessionNeed(agent, memory) for agent, memory in sorted(self._needs.items())),
        )

    def _look_at_sessions(self) -> int:
        """What all of the run's sessions use now; each agent's greediest is remembered."""
        used = memory_by_mark(self._warden())
        ours = {mark: memory for mark, memory in used.items() if mark.startswith(f"{self._run}/")}
        for mark, memory in ours.items():
            agent = self._agents.of(mark)
            if agent:
                self._needs[agent] = max(self._needs[agent], memory)
        return sum(ours.values())


class _AgentOf:
    """Whose session a process belongs to, by the attempt in its environment."""

    def __init__(self, plan: Plan) -> None:
        self._pipelines = {str(job.key): job.pipeline for job in plan.jobs}
        self._agents = {(line.name, phase.name): phase.agent for line in plan.pipelines for phase in line.phases}

    def of(self, mark: str) -> str | None:
        """`r-1/shop#101/exec/2`."""
        _, _, rest = mark.partition("/")
        job, phase, *_ = (*rest.rsplit("/", 2), "", "")
        return self._agents.get((self._pipelines.get(job, ""), phase))


def free_memory() -> int | None:
    """What programs can still get: of the machine, or of the container that Weft runs in."""
    with suppress(OSError, psutil.Error):
        available = int(psutil.virtual_memory().available)
        inside = _free_in_container(CGROUP)
        return available if inside is None else min(available, inside)
    return None


def _free_in_container(group: Path) -> int | None:
    """None outside of one, and in one without a limit."""
    with suppress(OSError, ValueError):
        most = int((group / "memory.max").read_text())
        used = int((group / "memory.current").read_text())
        lines = (line.split() for line in (group / "memory.stat").read_text().splitlines())
        files = next((int(value) for name, value in lines if name == "inactive_file"), 0)
        return max(0, most - used + files)
    return None


def _free_disk(folders: Sequence[Path]) -> int | None:
    """Of the fullest."""
    free: list[int] = []
    for folder in folders:
        with suppress(OSError):
            free.append(psutil.disk_usage(str(folder)).free)
    return min(free, default=None)


def _load() -> float | None:
    with suppress(OSError):
        return float(psutil.getloadavg()[0] / (psutil.cpu_count() or 1))
    return None
