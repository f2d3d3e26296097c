"""Labels as fast as it can, and writes down each label after it was confirmed. To be killed."""

import sys
from pathlib import Path

from evenhand.records import Order
from evenhand.store.label_store import LabelStore
from evenhand.store.label_store_records import Choice, Drawn, NewShowing


def main(path: Path, notes: Path, name: str, first: int, count: int) -> None:
    with notes.open("a", encoding="ascii") as file:
        print("begun", flush=True)
        store = LabelStore(path, seed=1)
        browser = store.enter(f"secret of {name}", name)
        assert browser.annotator is not None
        done = {event.showing.pair_id for event in store.events(annotator=browser.annotator)}
        for number in range(first, first + count):
            if f"p{number}" in done:
                continue
            new = NewShowing(
                pair_id=f"p{number}", text_sha256="t", shown_order=Order.AB, repeat=False, drawn=Drawn.RANDOM
            )
            showing = store.show(
                browser.annotator,
                lambda states, new=new: next((s.showing for s in states if s.showing.pair_id == new.pair_id), new),
            )
            assert showing is not None
            assert store.label(browser, showing, Choice.TIE, form=f"form of p{number}")
            file.write(f"p{number}\n")
            file.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
