"""The process that is killed while it writes a Parquet and a safetensors file over and over."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import numpy as np
import polars as pl
from safetensors.numpy import save

from evenhand.store.atomic import write_atomically, write_bytes_atomically


def main(folder: Path) -> None:
    print("begun", flush=True)
    for number in itertools.count():
        table = pl.DataFrame({"x": np.full(50_000, number), "y": np.random.default_rng(number).normal(size=50_000)})
        write_atomically(folder / "table.parquet", table.write_parquet)
        write_bytes_atomically(folder / "tensors.safetensors", save({"x": np.full(400_000, number, dtype=np.float32)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
