"""Lock folders on file systems of other machines (LOCK-12)."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.locks import network
from weft.locks.folder import LockFolder


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "fuse.glusterfs", "9p", "ceph", "SMBFS"])
def test_network_file_systems_are_known(kind: str) -> None:
    """Also those that run as programs."""
    assert network.is_network(kind)


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "apfs", "fuse.ntfs", "fuseblk"])
def test_local_ones_are_not_taken_for_it(kind: str) -> None:
    """A warning that is wrong is worse than none."""
    assert not network.is_network(kind)


def test_the_file_system_is_asked_of_the_kernel() -> None:
    """`/proc` is one whose name is sure."""
    assert network.file_system("/proc/self") == "proc"
    assert network.file_system("/nonexistent") is None


def test_the_user_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the advice to use the fleet's leases; not again at every command."""
    folder = LockFolder(str(tmp_path))
    assert network.network_warning(folder) is None
    monkeypatch.setattr(network, "file_system", lambda path: "nfs4")
    told = network.network_warning(folder)
    assert told is not None
    assert "nfs4" in told
    assert "fleet's leases" in told
    assert network.network_warning(folder) is None
    assert not list(tmp_path.glob("*.lock"))
    assert network.network_warning(LockFolder(str(tmp_path / "x"), bypassed=True)) is None
