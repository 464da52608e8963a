"""Start, follow and stop processes: the one door. Nothing else in Weft spawns."""
