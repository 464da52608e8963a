"""GitHub: issues in, pull requests out. Imported only where it is used: its client takes long to load."""
