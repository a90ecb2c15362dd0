"""A first config for a user's own file: complete, commented, and small enough for a laptop."""

from __future__ import annotations

import math
from typing import Any

from quadrepro.base.yaml import Block, to_yaml
from quadrepro.data.card import ANY_VIEW, Card

SCHEMA = ".quadrepro/config.json"
"""Where the JSON schema stands that a draft names, relative to the draft."""

ENOUGH = 10
"""With fewer rows of a class, some folds of the training rows would have none of it."""

STRATIFIED = ", stratify: true"

_DRAFT = """\
# yaml-language-server: $schema={schema}
# Compares learners on {file}. `quadrepro check` says whether this file is right and what a run
# will do; `quadrepro list keys --format markdown` lists all keys.
{title}
seed: 1                                      # where all random draws come from
repeats: 10                                  # random splits into training and test rows

protocol:
  view: default                              # of the card {card}
{protocol}  folds: 5                                   # of the training rows, to choose values by

{datasets}
# Each searches over its `grid`, from simple to complex: ties go to the first value. The last column
# of all tables is a baseline, which looks at no attribute.
algorithms:
{algorithms}
{metrics}
tables:
  scatter: gradient boosting                 # its error against that of each other, split by split
"""

_OF_CLASSES = {
    "protocol": """\
  split: {train: 0.7, at_most: null, stratify: true}
  normalise: tanh                            # attributes become tanh((x - mean)/std)
  stumps_per_attribute: 10                   # which QuadBoost and AdaBoost vote with
""",
    "algorithms": """\
  - name: logistic regression
    pipeline: [StandardScaler, LogisticRegression]
    label: Logistic regression
    grid: {logisticregression__C: [0.01, 0.1, 1, 10, 100]}
  - name: random forest
    algorithm: sklearn:RandomForestClassifier
    label: Random forest
    grid: {min_samples_leaf: [20, 5, 1]}
  - name: gradient boosting
    algorithm: sklearn:HistGradientBoostingClassifier
    label: Gradient boosting
    grid: {learning_rate: [0.03, 0.1, 0.3]}
  - quadboost-l2                             # a name alone searches over default values:
  - adaboost                                 # `quadrepro list algorithms` shows them
""",
    "metrics": "metrics: [balanced_error, auc]               # and the share of wrong rows",
}

_OF_NUMBERS = {
    "protocol": """\
  split: {train: 0.7, at_most: null}
  normalise: none                            # attributes stay as they are
""",
    "algorithms": """\
  - name: ridge
    pipeline: [StandardScaler, Ridge]
    label: Ridge regression
    grid: {ridge__alpha: [100, 10, 1, 0.1]}
  - name: random forest
    algorithm: sklearn:RandomForestRegressor
    label: Random forest
    grid: {min_samples_leaf: [20, 5, 1]}
  - name: gradient boosting
    algorithm: sklearn:HistGradientBoostingRegressor
    label: Gradient boosting
    grid: {learning_rate: [0.03, 0.1, 0.3]}
  - name: boosting                           # without a grid it searches over default values:
    settings: {cuts: 3}                      # `quadrepro list algorithms` shows them
""",
    "metrics": "metrics: [mae, r2]                           # and the RMSE",
}

_REMARKS = {
    "exclude": "Almost every value is unique.",
    "nominal": "Each code becomes a column of zeros and ones.",
    "missing": "Gaps are filled with the mean of the training rows; or: low, drop.",
}


def draft_config(card: Card, file: str, place: str) -> str:
    """Return the text of a first config."""
    parts = dict(_OF_NUMBERS if card.task == "regression" else _OF_CLASSES)
    if _rarest(card) < ENOUGH:
        parts["protocol"] = parts["protocol"].replace(STRATIFIED, "")
    return _DRAFT.format(
        schema=SCHEMA,
        file=file if file.isprintable() else repr(file),
        title=to_yaml({"title": f"{card.title}: {card.target.original}"}).strip(),
        card=place,
        datasets=_datasets(card),
        **parts,
    )


def _rarest(card: Card) -> float:
    """Return the number of rows of the rarest class; infinity for numbers."""
    counts, positive = card.target.labels, card.view(ANY_VIEW).positive
    if not isinstance(positive, tuple):
        return min(counts.values(), default=math.inf)
    n_positive = sum(counts[label] for label in positive)
    return min(n_positive, card.rows - n_positive)


def _datasets(card: Card) -> str:
    """Return the row, with the changes to the card's view that its columns ask for."""
    nominal = {a.name: a.codes for a in card.attributes if a.kind == "nominal"}
    # A card lists no codes where there are many.
    own = [name for name, codes in nominal.items() if codes is None or len(codes) == card.rows]
    view: dict[str, Any] = {}
    if own and len(own) < len(card.attributes):
        view["exclude"] = own
    if len(nominal) > len(own):
        view["nominal"] = "one-hot"
    if card.missing_cells:
        view["missing"] = "mean"
    entry = {"name": card.name, **({"view": view} if view else {})}
    lines = to_yaml({"datasets": Block([entry])}).splitlines(keepends=True)
    for key in view:
        at = next(i for i, line in enumerate(lines) if line.startswith(f"      {key}:"))
        lines.insert(at, f"      # {_REMARKS[key]}\n")
    return "".join(lines)
