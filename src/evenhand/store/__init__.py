"""The store: a durable journal of a run."""
