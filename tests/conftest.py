"""Guards that hold for every test."""
