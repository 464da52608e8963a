"""Hands: perform one command on this machine, and always answer with an event."""
