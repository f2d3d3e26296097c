"""Records of presentations as a judge of two kept layers and width 4 would leave them."""

import numpy as np

from evenhand.probes.activation_meta import ActivationMeta
from evenhand.probes.activation_record import ActivationRecord, positions_of
from evenhand.records import Order, Readout

LAYERS = (1, 3)
SIZE = 4
META = ActivationMeta(blocks=4, size=SIZE, layers=LAYERS, readout=Readout.GENERATED)


def record(key="k1", *, verdict_index=1, tokens=3, seed=0, order=Order.AB, pair_id="p1", repeat=0, **changes):
    rng = np.random.default_rng([seed, *key.encode()])
    found = {
        "key": key,
        "pair_id": pair_id,
        "order": order,
        "repeat": repeat,
        "layers": LAYERS,
        "vectors": {
            position: rng.normal(size=(len(LAYERS), SIZE)).astype(np.float32)
            for position in positions_of(verdict_index)
        },
        "prompt_ids": tuple(int(i) for i in rng.integers(0, 500, size=5)),
        "token_ids": tuple(int(i) for i in rng.integers(0, 500, size=tokens)),
        "verdict_index": verdict_index,
        "label_ids": (7, 8, 9),
        "label_logits": None if verdict_index is None else rng.normal(size=3).astype(np.float32),
    }
    return ActivationRecord(**found | changes)


def same(one, other):
    """Whether two records hold the same, to the bit."""
    plain = ("key", "pair_id", "order", "repeat", "layers", "prompt_ids", "token_ids", "verdict_index", "label_ids")
    return (
        all(getattr(one, name) == getattr(other, name) for name in plain)
        and one.vectors.keys() == other.vectors.keys()
        and all(np.array_equal(one.vectors[position], other.vectors[position]) for position in one.vectors)
        and (one.label_logits is other.label_logits is None or np.array_equal(one.label_logits, other.label_logits))
    )
