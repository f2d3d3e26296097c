"""Data sets: files and packages of pairs, read into the same records."""

from evenhand.datasets.base import Dataset, LoadedPairs
from evenhand.datasets.load import load_dataset, load_pairs, read_pairs

__all__ = ["Dataset", "LoadedPairs", "load_dataset", "load_pairs", "read_pairs"]
