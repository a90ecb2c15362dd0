from __future__ import annotations

import csv
from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import quadrepro
from quadrepro.errors import ConfigError, DataError
from quadrepro.stats import holm

SCORES = {
    "ours": [0.20, 0.31, 0.15, 0.27, 0.09, 0.11, 0.24],
    "theirs": [0.22, 0.35, 0.14, 0.30, 0.11, 0.12, 0.29],
}
Write = Callable[[str], Path]


def as_csv(names: bool) -> str:
    lines = [",".join(map(str, row)) for row in zip(*SCORES.values(), strict=True)]
    if names:
        lines = [f"set{i},{line}" for i, line in enumerate(lines)]
    return "\n".join([("dataset," if names else "") + "ours,theirs", *lines]) + "\n"


def test_numbers_that_the_metric_cannot_be_are_refused(write_scores: Write) -> None:
    path = write_scores("d,a,b\nx,-0.41,-0.5\ny,-0.3,-0.2\n")
    with pytest.raises(DataError, match=r"log_loss cannot be -0.41 \(x, a\): correct it, or state"):
        quadrepro.rank(path, metric="log loss")
    assert (
        quadrepro.rank(path, metric="return", higher_is_better=True).ranking.methods[0].mean_rank
        == 1.5
    )
    with pytest.raises(DataError, match=r"accuracy cannot be 980 \(y, a\)"):
        quadrepro.rank(write_scores("d,a,b\nx,98,97\ny,980,85\n"), metric="accuracy")


def test_a_file_a_frame_and_a_mapping_give_the_same(write_scores: Write) -> None:
    expected = quadrepro.rank(SCORES, higher_is_better=False, rope=0.01).ranking
    frame = pd.DataFrame(SCORES)
    named = pd.DataFrame({"dataset": [f"set{i}" for i in range(7)], **SCORES})
    forms = [write_scores(as_csv(names=True)), frame, named, frame.set_axis([*"abcdefg"])]
    for scores in forms:
        assert quadrepro.rank(scores, higher_is_better=False, rope=0.01).ranking == expected
    path = str(write_scores(as_csv(names=False)))
    assert quadrepro.rank(path, higher_is_better=False, rope=0.01).ranking == expected


def test_accuracies_are_ranked_from_the_highest() -> None:
    scores = SCORES | {"theirs": [x + 0.1 for x in SCORES["ours"]]}
    higher, lower = (quadrepro.rank(scores, higher_is_better=side) for side in (True, False))
    assert [method.name for method in higher.ranking.methods] == ["theirs", "ours"]
    assert [method.name for method in lower.ranking.methods] == ["ours", "theirs"]
    assert higher.data["difference"][0] == pytest.approx(0.1)
    assert lower.data["difference"][0] == pytest.approx(-0.1)
    ratios = quadrepro.rank(scores, higher_is_better=True, ratios=True)
    assert lower.sentence.startswith("ours is better than theirs (p = 0.016).")
    for ranked in (higher, ratios):
        assert ranked.sentence.startswith("theirs is better than ours (p = 0.016).")


def test_ratios_do_not_depend_on_the_unit_of_a_row() -> None:
    in_cents = {name: [100 * values[0], *values[1:]] for name, values in SCORES.items()}
    plain, changed = (
        quadrepro.rank(scores, higher_is_better=False, ratios=True) for scores in (SCORES, in_cents)
    )
    assert changed.sentence == plain.sentence
    assert changed.table.rows == plain.table.rows
    assert changed.pairs.rows == plain.pairs.rows


def test_splits_get_the_corrected_t_test() -> None:
    ranked = quadrepro.rank(SCORES, higher_is_better=False, test_share=0.1)
    # Ranks of splits that share rows are not independent, as Friedman's test needs.
    assert "Friedman" not in ranked.markdown
    assert "Friedman" in quadrepro.rank(SCORES, higher_is_better=False).markdown
    assert ranked.ranking.pairs["ours", "theirs"].test == "corrected resampled t-test"
    assert "over 7 splits" in ranked.sentence
    assert "over 7 splits" in ranked.markdown


MORE = SCORES | {
    "third": [0.25, 0.40, 0.20, 0.35, 0.20, 0.16, 0.40],
    "fourth": [0.30, 0.50, 0.25, 0.33, 0.10, 0.30, 0.45],
}


def test_a_control_is_compared_with_the_others_alone() -> None:
    ranked = quadrepro.rank(MORE, higher_is_better=False, control="third")
    data = ranked.data
    assert len(data) == 3
    assert all("third" in pair for pair in zip(data["method"], data["against"], strict=True))
    assert data["p adjusted"].tolist() == pytest.approx(holm(data["p"]))
    assert "adjusted for 3 pairs by Holm's method" in ranked.sentence


def test_alpha_is_the_level_of_significance_and_nemenyis_difference_is_added_if_asked_for() -> None:
    usual = quadrepro.rank(MORE, higher_is_better=False)
    strict, lenient = (
        quadrepro.rank(MORE, higher_is_better=False, alpha=alpha) for alpha in (0.001, 0.5)
    )
    for ranked, alpha in ((strict, 0.001), (usual, 0.05), (lenient, 0.5)):
        for pair, c in ranked.ranking.pairs.items():
            assert c.p_adjusted == usual.ranking.pairs[pair].p_adjusted
            assert (c.winner is not None) == (c.p_adjusted <= alpha)
        assert f"(p ≤ {alpha:g})" in ranked.sentence
        assert f"* p ≤ {alpha:g}." in ranked.table.notes[1]
    assert "too few for that" in strict.sentence
    assert lenient.sentence != usual.sentence
    nemenyi = quadrepro.rank(MORE, higher_is_better=False, nemenyi=True)
    assert "Nemenyi" not in usual.markdown
    assert "Nemenyi's test: mean ranks that are 1.77 or more apart" in nemenyi.markdown


def test_rows_with_a_missing_score_are_refused_or_left_out_by_name_on_the_terminal_ten(
    write_scores: Write, tmp_path: Path
) -> None:
    path = write_scores(as_csv(names=True).replace("0.15,0.14", "0.15,NA").replace("0.09,", ","))
    with pytest.raises(DataError, match=r"missing in set2: theirs, set4: ours"):
        quadrepro.rank(path, higher_is_better=False)
    ranked = quadrepro.rank(path, higher_is_better=False, missing="rows")
    assert ranked.left_out == ("set2", "set4")
    assert ranked.ranking.n_rows == 5
    note = "Left out, since scores are missing: set2, set4; 5 data sets and "
    assert note in ranked.markdown
    frame = pd.DataFrame({"a": [1.0, nan, 2.0], "b": [2.0, 3.0, 4.0]})
    ranked = quadrepro.rank(frame, higher_is_better=False, missing="rows")
    assert ranked.left_out == ("row 2",)
    gaps = [f"gap{i}" for i in range(13)]
    frame = pd.DataFrame(SCORES, index=[f"set{i}" for i in range(7)])
    frame = pd.concat([frame, pd.DataFrame({"ours": nan, "theirs": 0.5}, index=gaps)])
    ranked = quadrepro.rank(frame, higher_is_better=False, missing="rows")
    assert ranked.left_out == tuple(gaps)
    assert f"missing: {', '.join(gaps[:10])} and 3 more; 7 data sets" in ranked.markdown
    assert "gap10" not in ranked.markdown
    ranked.write(tmp_path)
    assert ", ".join(gaps) in (tmp_path / "ranking.md").read_text(encoding="utf-8")


def test_a_result_shows_itself_and_writes_its_files(tmp_path: Path) -> None:
    ranked = quadrepro.rank(MORE, higher_is_better=False)
    assert repr(ranked) == ranked.markdown
    assert ranked.markdown.endswith(f"{ranked.sentence}\n")
    assert "<table>" in ranked._repr_html_()
    for name in ("a", "b"):
        ranked.write(tmp_path / name / "demsar")
    names = {path.name for path in (tmp_path / "a" / "demsar").iterdir()}
    assert names == {"ranking.md", "ranking.csv", "ranking.svg", "pairs.md", "pairs.csv"}
    for name in names:
        one, other = ((tmp_path / side / "demsar" / name).read_bytes() for side in ("a", "b"))
        assert one == other
    folder = tmp_path / "a/demsar"
    assert ranked.sentence in (folder / "ranking.md").read_text(encoding="utf-8")
    for text in ("ranking", "pairs"):
        assert (folder / f"{text}.md").read_text(encoding="utf-8").startswith(f"## scores: {text}")
    with (folder / "pairs.csv").open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    assert [float(row["p"]) for row in rows] == [c.p_value for c in ranked.ranking.ordered_pairs]
    with (folder / "ranking.csv").open(encoding="utf-8") as file:
        methods = [row["method"] for row in csv.DictReader(file)]
    assert methods == [method.name for method in ranked.ranking.methods]


@pytest.mark.parametrize("names", [("NA", "null"), ("1", "2")])
def test_the_data_frame_keeps_the_names_of_methods(names: tuple[str, str]) -> None:
    scores = dict(zip(names, SCORES.values(), strict=True))
    data = quadrepro.rank(scores, higher_is_better=False).data
    assert {data["method"][0], data["against"][0]} == {*names}


GAPS = pd.DataFrame(
    {"a": [0.9, 0.8, 0.7], "b": [0.8, nan, 0.6], "c": [0.5, 0.4, 0.3]}, index=["x", "y", "z"]
)


def test_rows_or_methods_with_gaps_are_left_out_or_gaps_count_as_the_worst() -> None:
    rows, methods, worst = (
        quadrepro.rank(GAPS, metric="accuracy", missing=kind)
        for kind in ("rows", "methods", "worst")
    )
    assert (rows.left_out, rows.ranking.n_rows) == (("y",), 2)
    assert (methods.left_out, [m.name for m in methods.ranking.methods]) == (("b",), ["a", "c"])
    assert "1 missing scores count as the worst of their rows." in worst.markdown
    filled = GAPS.fillna({"b": 0.4})
    assert worst.ranking == quadrepro.rank(filled, higher_is_better=True).ranking


def test_the_direction_is_that_of_the_metric() -> None:
    errors = quadrepro.rank(SCORES, metric="error")
    assert errors.ranking == quadrepro.rank(SCORES, higher_is_better=False).ranking
    assert quadrepro.rank(SCORES, metric="auc").ranking.methods[0].name == "theirs"


def test_folds_are_averaged_unless_they_are_the_splits_of_one_data_set(write_scores: Write) -> None:
    lines = [f"{name},{fold},0.{50 + fold},0.4{fold}" for name in "xyz" for fold in range(4)]
    path = write_scores("\n".join(["dataset,fold,a,b", *lines]) + "\n")
    ranked = quadrepro.rank(path, metric="accuracy")
    assert ranked.ranking.n_rows == 3
    assert "up to 4 folds averaged per data set" in ranked.read
    with pytest.raises(DataError, match="needs the splits of one data set"):
        quadrepro.rank(path, metric="accuracy", test_share=0.25)
    path = write_scores("\n".join(["dataset,fold,a,b", *lines[:4]]) + "\n")
    with pytest.raises(DataError, match="for the splits of one, give --test-share"):
        quadrepro.rank(path, metric="accuracy")
    ranked = quadrepro.rank(path, metric="accuracy", test_share=0.25)
    assert "over 4 splits" in ranked.sentence


LOWER = {"higher_is_better": False}
ZERO, GAPS_IN_ALL = {"a": [1.0, 0.0], "b": [1.0, 2.0]}, {"a": [1.0, nan, 2.0], "b": [2.0, 3.0, nan]}
WITHOUT_GAPS = "scores: without missing scores 1 data sets and 2 methods"
TOO_FEW = r"scores\.csv: a ranking needs at least two methods on"


@pytest.mark.parametrize(
    ("scores", "options", "error", "message"),
    [
        (SCORES, {}, ConfigError, "are higher or lower scores better"),
        (SCORES, LOWER | {"control": "their"}, ConfigError, r"unknown control 'their'.*theirs"),
        (SCORES, LOWER | {"contrl": "ours"}, ConfigError, "'contrl'; did you mean 'control'"),
        (SCORES, LOWER | {"metrc": "auc"}, ConfigError, "'metrc'; did you mean 'metric'"),
        (SCORES, LOWER | {"without": "them"}, DataError, "'them'; known|'them'; did you mean"),
        (SCORES, LOWER | {"rope": -0.1}, ConfigError, "half-width of the rope cannot be -0.1"),
        (SCORES, LOWER | {"rope": nan}, ConfigError, "half-width of the rope cannot be nan"),
        (SCORES, LOWER | {"test_share": 1.0}, ConfigError, "test examples cannot be 1: give 0.1"),
        (SCORES, LOWER | {"alpha": 0.0}, ConfigError, "level of significance cannot be 0"),
        (SCORES, LOWER | {"ratios": True, "test_share": 0.1}, ConfigError, "leave out --ratios"),
        (SCORES, LOWER | {"nemenyi": True, "test_share": 0.1}, ConfigError, "leave out --nemenyi"),
        (ZERO, LOWER | {"ratios": True}, DataError, "scores: ratios need scores above 0"),
        (GAPS_IN_ALL, LOWER | {"missing": "rows"}, DataError, WITHOUT_GAPS),
        ({"a": [1.0], "b": [1.0, 2.0]}, LOWER, DataError, "table of numbers"),
        ({"a": [1.0], "b": ["x"]}, LOWER, DataError, "table of numbers|two methods"),
        ({}, LOWER, DataError, "table of numbers|two methods"),
        ("a,b\n1,2\n", LOWER, DataError, TOO_FEW),
        ("d,a\nx,1\ny,2\n", LOWER, DataError, TOO_FEW),
    ],
)
def test_scores_and_options_that_cannot_be_ranked_are_refused(
    write_scores: Write, scores: Any, options: dict[str, Any], error: type, message: str
) -> None:
    with pytest.raises(error, match=message):
        quadrepro.rank(write_scores(scores) if isinstance(scores, str) else scores, **options)
