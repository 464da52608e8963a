"""The daemon's seat: a lock of which lookers have hold for a moment (PROJ-8)."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from weft.daemon.seat import Seat, seat_path, seated
from weft.errors import LockedError
from weft.settings.environment import Environment


def test_looking_does_not_keep_one_from_starting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PROJ-8: whoever asks whether there is a daemon has the lock for a moment; one that starts then is not refused."""
    environment = Environment({"WEFT_HOME": str(tmp_path)}, tmp_path)
    with seat_path(environment).open("wb") as looker:
        fcntl.flock(looker, fcntl.LOCK_EX)
        monkeypatch.setattr("weft.daemon.seat.time.sleep", lambda _: fcntl.flock(looker, fcntl.LOCK_UN))
        with Seat(environment):
            holder = seated(environment)
    assert holder is not None
    assert holder.process.pid == os.getpid()


def test_a_second_one_is_refused(tmp_path: Path) -> None:
    """PROJ-8: one per user, who is named."""
    environment = Environment({"WEFT_HOME": str(tmp_path)}, tmp_path)
    with Seat(environment), pytest.raises(LockedError, match=f"PID {os.getpid()}"):
        Seat(environment)
    assert seated(environment) is None
