"""A first config for a user's own file: complete, commented, and small enough for a laptop."""

from __future__ import annotations

from textwrap import indent

from quadrepro.base.yaml import to_yaml
from quadrepro.data.card import ANY_VIEW, Card, View
from quadrepro.data.notes import imbalance

SCHEMA = ".quadrepro/config.json"
"""Path of the JSON schema that a draft names, relative to the draft."""

ENOUGH = 10
"""With fewer rows of a class, some folds of the training rows could have none of it."""

_DRAFT = """\
# yaml-language-server: $schema={schema}
# Compares learners on {file}. `quadrepro check` says whether this file is right and what a run
# will do; `quadrepro list keys --markdown` lists all keys.
{title}
seed: 1                                      # where all random draws come from
# `quadrepro run {config} --repeats 30` adds splits, which narrows the intervals.
repeats: 4                                   # random splits into training and test rows

protocol:
  view: default                              # of the card {card}
  split: {{train: 0.7, at_most: null{stratify}}}
  normalise: none                            # attributes stay as they are; pipelines scale them
  folds: 3                                   # of the training rows, to choose values by{choose_by}

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
  # Lines to use by removing the number signs, after `pip install xgboost lightgbm catboost`.
  # - name: XGBoost
  #   algorithm: xgboost:XGB{kind}
  #   grid: {{n_estimators: [100], max_depth: [2, 4, 6], learning_rate: [0.1, 0.3]}}
  # - name: LightGBM
  #   algorithm: lightgbm:LGBM{kind}
  #   settings: {{verbose: -1}}
  #   grid: {{num_leaves: [4, 16]}}
  # - name: CatBoost
  #   algorithm: catboost:CatBoost{kind}
  #   settings: {{verbose: false, allow_writing_files: false}}
  # - name: mine                             # a class of my_models.py with fit and predict
  #   algorithm: my_models:Mine

metrics: {metrics}
"""

_OF_CLASSES = {
    "kind": "Classifier",
    "linear": """\
  - name: logistic regression
    pipeline: [StandardScaler, LogisticRegression]
    label: Logistic regression
    grid: {logisticregression__C: [0.01, 0.1, 1, 10]}""",
    "ours": "  - {name: quadboost-l2, label: QuadBoost-L2 (10 stumps per attribute)}",
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


def draft_config(card: Card, file: str, place: str) -> str:
    """Return the text of a first config for the card of a file, which is written to `place`."""
    view = card.view(ANY_VIEW)
    parts = {"choose_by": "", **(_OF_NUMBERS if card.task == "regression" else _OF_CLASSES)}
    for note in imbalance(card.target, view):
        parts["metrics"] = f"[balanced_error, auc, log_loss]\n# {note}"
        parts["metrics"] += (
            "\nheadline: balanced_error                   # what comparisons are by; or auc"
        )
        parts["choose_by"] = (
            "\n  choose_by: balanced_error                  # counts every class alike"
        )
    stratified = min(view.class_sizes(card.target), default=0) >= ENOUGH
    return _DRAFT.format(
        schema=SCHEMA,
        file=file if file.isprintable() else repr(file),
        title=to_yaml({"title": f"{card.title}: {card.target.original}"}).strip(),
        config=f"{card.name}.yaml",
        card=place,
        stratify=", stratify: true" if stratified else "",
        datasets=_datasets(card, view),
        **parts,
    )


def _datasets(card: Card, view: View) -> str:
    """Return the list of data sets, with the changes to the card's view that its columns need."""
    changes = ""
    if view.exclude:
        changes += "# Columns to leave out, see the notes of the card: remove a name to use it.\n"
        changes += to_yaml({"exclude": [*view.exclude]})
    if any(a.kind == "nominal" and a.name not in view.exclude for a in card.attributes):
        changes += "# Each code becomes a column of zeros and ones.\nnominal: one-hot\n"
    if card.missing_cells:
        changes += "# Gaps are filled with the mean of the training rows; or: low, drop.\n"
        changes += "missing: mean\n"
    entry = f"datasets:\n  - {to_yaml({'name': card.name})}"
    return f"{entry}    view:\n{indent(changes, ' ' * 6)}" if changes else entry
