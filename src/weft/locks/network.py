"""File systems that are not this machine's own: locks on them are less than they promise (LOCK-12)."""

from __future__ import annotations

import os

from weft.locks.folder import LockFolder
from weft.locks.host import LINUX

TOLD = "network-file-system"
"""The file that says that the user was told."""
_NETWORK = frozenset(
    (
        *("9p", "afp", "afs", "afpfs", "beegfs", "ceph", "cifs", "coda", "davfs", "gfs"),
        *("gfs2", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "pvfs2"),
        *("s3fs", "smb2", "smb3", "smbfs", "sshfs", "vboxsf", "virtiofs", "webdav"),
    )
)


def network_warning(folder: LockFolder) -> str | None:
    """What to tell the user, the first time; None where the folder is on a local disk, or they were told before."""
    kind = None if folder.bypassed else file_system(folder.path)
    if kind is None or not is_network(kind) or not _first_time(folder.path):
        return None
    return (
        f"the lock folder `{folder.path}` is on a network file system ({kind}), where locks of several hosts may fail; "
        "use the fleet's leases to work on one repo from several hosts"
    )


def is_network(kind: str) -> bool:
    return kind.lower().removeprefix("fuse.") in _NETWORK


def file_system(path: str) -> str | None:
    """What kind of file system the path is on, such as `ext4`; None where it cannot be known."""
    try:
        return _from_mounts(os.stat(path).st_dev) if LINUX else _from_psutil(path)
    except OSError:
        return None


def _from_mounts(device: int) -> str | None:
    """By device: of all the kernel tells it alone names file systems that run as programs, such as `fuse.sshfs`."""
    wanted = f"{os.major(device)}:{os.minor(device)}".encode()
    with open("/proc/self/mountinfo", "rb") as mounts:
        for line in mounts:
            if line.split(b" ", 3)[2] == wanted:
                return line.partition(b" - ")[2].split(b" ")[0].decode("ascii", "replace")
    return None


def _from_psutil(path: str) -> str | None:
    import psutil

    real = os.path.realpath(path)
    above = [part for part in psutil.disk_partitions(all=True) if _is_above(part.mountpoint, real)]
    return max(above, key=lambda part: len(part.mountpoint)).fstype if above else None


def _is_above(mount: str, path: str) -> bool:
    return os.path.commonpath([mount, path]) == mount


def _first_time(folder: str) -> bool:
    try:
        os.close(os.open(os.path.join(folder, TOLD), os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    except OSError:
        return False
    return True
