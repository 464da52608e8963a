"""Makes parts of the documentation from the code."""
