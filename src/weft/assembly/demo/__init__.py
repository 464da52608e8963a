"""The demo: a small program in a made-up repo, six issues, and a script that does the agents' part."""
