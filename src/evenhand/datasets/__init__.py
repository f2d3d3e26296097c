"""Data sets: files and packages of pairs, read into the same records."""

from evenhand.datasets.base import Dataset
from evenhand.datasets.load import load_dataset, load_pairs

__all__ = ["Dataset", "load_dataset", "load_pairs"]
