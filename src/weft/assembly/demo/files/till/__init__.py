"""The arithmetic of a small shop."""
