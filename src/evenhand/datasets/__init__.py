"""Data sets: files and packages of pairs, read into the same records."""
