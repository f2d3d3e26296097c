"""Coverage-guided fuzzing of one target: ``python -m fuzz.atheris_run NAME [libFuzzer options]`` from ``tests/``.

For instance ``PYTHONPATH=tests python -m fuzz.atheris_run "pairs.csv" -max_total_time=600``; without a name it lists
the targets. It ends with an error at the first input that ends in anything but a clean reading or a clean refusal,
and leaves that input in ``crash-…``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path


def main() -> None:
    import atheris

    with atheris.instrument_imports(include=["evenhand"], enable_loader_override=False):
        from fuzz.targets import check_anywhere, targets

        known = targets()
    if len(sys.argv) < 2 or sys.argv[1] not in known:
        sys.exit("expected one of: " + ", ".join(known))
    target = known[sys.argv[1]]
    with tempfile.TemporaryDirectory(prefix="evenhand-corpus-") as corpus:
        for number, seed in enumerate(target.seeds):
            (Path(corpus) / str(number)).write_bytes(seed)
        atheris.Setup([sys.argv[0], *sys.argv[2:], corpus], lambda data: check_anywhere(target, data) and None)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
