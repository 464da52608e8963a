"""The agents behind one interface: how each is started, and what its transcript says came of it."""
