"""Decides, and does nothing else: `step(state, event) -> commands`. No clock, no I/O, no randomness."""
