"""Verdict logs that others wrote, read into the same records."""
