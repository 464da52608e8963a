"""What a gate that failed tells whoever mends the work."""

from __future__ import annotations

from collections.abc import Sequence

from weft.model.outcome import GateResult


def gates_reason(failed: Sequence[GateResult]) -> str:
    names = ", ".join(result.name for result in failed)
    return f"gate {names} failed" if len(failed) == 1 else f"gates {names} failed"


def finding(result: GateResult) -> str:
    return f"Gate `{result.name}` (`{result.command}`) failed with exit status {result.exit_status}:\n{result.tail}"
