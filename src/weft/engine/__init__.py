"""The loop: event → journal → step → commands → hands → events. The only one that starts work."""
