"""The runner: asks what is not yet answered, and loses nothing."""
