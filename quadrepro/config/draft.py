"""A first config for a user's own file: complete, commented, and small enough for a laptop."""

from __future__ import annotations

from typing import Any

from quadrepro.base.yaml import to_yaml
from quadrepro.data.card import ANY_VIEW, Card
from quadrepro.data.inspection import imbalance

SCHEMA = ".quadrepro/config.json"
"""Where the JSON schema stands that a draft names, relative to the draft."""

ENOUGH = 10
"""With fewer rows of a class, some folds of the training rows would have none of it."""

_DRAFT = """\
# yaml-language-server: $schema={schema}
# Compares learners on {file}. `quadrepro check` says whether this file is right and what a run
# will do; `quadrepro list keys --format markdown` lists all keys.
{title}
seed: 1                                      # where all random draws come from
# `quadrepro run {config} --repeats 30` adds splits, which narrows the intervals.
repeats: 4                                   # random splits into training and test rows

protocol:
  view: default                              # of the card {card}
  split: {{train: 0.7, at_most: null{stratify}}}
  normalise: none                            # attributes stay as they are; pipelines scale them
  folds: 3                                   # of the training rows, to choose values by

{datasets}
# Each searches over its `grid`, from simple to complex: ties go to the first value. A name alone
# searches over default values, see `quadrepro list algorithms`. The last column of all tables is a
# baseline, which looks at no attribute.
algorithms:
{linear}
  - name: random forest
    algorithm: sklearn:RandomForest{kind}
    label: Random forest                     # it needs no search
  - name: gradient boosting
    algorithm: sklearn:HistGradientBoosting{kind}
    label: Gradient boosting
    grid: {{max_leaf_nodes: [4, 16]}}
{ours}
  # - name: XGBoost
  #   algorithm: xgboost:XGB{kind}
  #   grid: {{n_estimators: [100], max_depth: [2, 4, 6], learning_rate: [0.1, 0.3]}}
  # - name: mine                             # a class of my_models.py with fit and predict
  #   algorithm: my_models:Mine

metrics: {metrics}
tables:
  scatter: gradient boosting                 # its error against that of each other, split by split
"""

_OF_CLASSES = {
    "kind": "Classifier",
    "linear": """\
  - name: logistic regression
    pipeline: [StandardScaler, LogisticRegression]
    label: Logistic regression
    grid: {logisticregression__C: [0.01, 0.1, 1, 10]}""",
    "ours": "  - quadboost-l2",
    "metrics": "[balanced_error, auc]               # and the share of wrong rows",
}

_OF_NUMBERS = {
    "kind": "Regressor",
    "linear": """\
  - name: ridge
    pipeline: [StandardScaler, Ridge]
    label: Ridge regression
    grid: {ridge__alpha: [100, 10, 1, 0.1]}""",
    "ours": "  - {name: boosting, settings: {cuts: 3}}",
    "metrics": "[mae, r2]                           # and the RMSE",
}

_REMARKS = {
    "exclude": "IDs and codes that are too many: remove a name to use it.",
    "nominal": "Each code becomes a column of zeros and ones.",
    "missing": "Gaps are filled with the mean of the training rows; or: low, drop.",
}


def draft_config(card: Card, file: str, place: str) -> str:
    """Return the text of a first config."""
    view = card.view(ANY_VIEW)
    parts = dict(_OF_NUMBERS if card.task == "regression" else _OF_CLASSES)
    for note in imbalance(card.target, view):
        parts["metrics"] = f"[balanced_error, auc, log_loss]\n# {note}"
    stratified = min(view.class_sizes(card.target), default=0) >= ENOUGH
    return _DRAFT.format(
        schema=SCHEMA,
        file=file if file.isprintable() else repr(file),
        title=to_yaml({"title": f"{card.title}: {card.target.original}"}).strip(),
        config=f"{card.name}.yaml",
        card=place,
        stratify=", stratify: true" if stratified else "",
        datasets=_datasets(card),
        **parts,
    )


def _datasets(card: Card) -> str:
    """Return the row, with the changes to the card's view that its columns ask for."""
    nominal = {a.name: a.codes for a in card.attributes if a.kind == "nominal"}
    # A card lists no codes where there are many.
    many = [name for name, codes in nominal.items() if codes is None or len(codes) == card.rows]
    left_out = [*dict.fromkeys([*card.view(ANY_VIEW).exclude, *many])]
    view: dict[str, Any] = {}
    if left_out and len(left_out) < len(card.attributes):
        view["exclude"] = left_out
    if len(nominal) > len(many):
        view["nominal"] = "one-hot"
    if card.missing_cells:
        view["missing"] = "mean"
    entry = {"name": card.name, **({"view": view} if view else {})}
    lines = to_yaml({"datasets": [entry]}).splitlines(keepends=True)
    for key in view:
        at = next(i for i, line in enumerate(lines) if line.startswith(f"    {key}:"))
        lines.insert(at, f"    # {_REMARKS[key]}\n")
    return "".join(lines)
