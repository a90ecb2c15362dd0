from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.engine.overview import Line, overview
from quadrepro.engine.records import Record
from quadrepro.engine.run import compute, local
from quadrepro.engine.store import RecordStore


def test_cells_are_counted_by_how_far_they_are(
    small_config: Callable[..., Path], tmp_path: Path
) -> None:
    cells, store = make_plan(load_experiment(small_config())).cells, RecordStore(tmp_path)
    assert overview(cells, store) == [
        Line("quadboost-l2", 2, 0, 2, (), None),
        Line("ada", 2, 0, 2, (), None),
    ]
    first, second = cells[:2]
    compute([first], store, local(0), lambda cell, record: None)
    store.put(Record(second.key, "failed", content=second.content, message="boom"))
    l2, ada = overview(cells, store)
    assert (l2.n_kept, l2.n_missing, len(ada.failed), ada.n_missing) == (1, 1, 1, 1)
    assert l2.seconds is not None
    assert ada.seconds is None
    assert (l2.failed, ada.failed) == ((), (second,))
