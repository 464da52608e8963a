"""Settings: files, environment and flags become frozen typed values, read once and passed down."""
