"""Settings become chosen parts, and parts an engine. The registries are here."""
