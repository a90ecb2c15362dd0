from __future__ import annotations

from quadrepro.core.seeds import generator


def test_a_draw_depends_on_its_name_alone() -> None:
    first = generator(3, "monks", 0, "split").integers(0, 2**32, 4).tolist()
    generator(3, "titanic", 0, "split").random(100)
    assert generator(3, "monks", 0, "split").integers(0, 2**32, 4).tolist() == first
    others = [(4, "monks", 0, "split"), (3, "monk", 0, "split"), (3, "monks", 1, "split")]
    for seed, *name in [*others, (3, "monks", 0, "folds")]:
        assert generator(seed, *name).integers(0, 2**32, 4).tolist() != first


def test_names_do_not_run_together() -> None:
    a, b = generator(0, "a", "bc").random(), generator(0, "ab", "c").random()
    assert a != b
