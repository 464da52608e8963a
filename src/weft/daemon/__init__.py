"""The daemon: decides when a run over projects starts. How it runs is no business of its own."""
