"""What Weft costs, measured as ratios on one machine. `python -m benchmarks` runs all; numbers choose some."""
