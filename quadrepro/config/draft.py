"""A first config for a user's own file: complete, commented, and small enough for a laptop."""

from __future__ import annotations

from textwrap import indent

from quadrepro.base.yaml import to_yaml
from quadrepro.data.card import ANY_VIEW, Card, View
from quadrepro.data.notes import imbalance
from quadrepro.data.source import PART, FileSource

SCHEMA = ".quadrepro/config.json"
"""Path of the JSON schema that a draft names, relative to the draft."""

_DRAFT = """\
# yaml-language-server: $schema={schema}
# Compares learners on {file}. `quadrepro check` validates this file and previews the run;
# `quadrepro list keys --markdown` lists all keys.
{title}
seed: 1                                      # where all random draws come from
{repeats}

protocol:
  view: default                              # of the card {card}
  split: {split}
  normalise: none                            # attributes stay as they are; pipelines scale them
  folds: 3                                   # of the training rows, to choose values by{choose_by}

{datasets}
# Each searches over its `grid`, from simple to complex: ties go to the first value. A name alone
# searches over default values, see `quadrepro list algorithms`. The last column of all tables is a
# baseline, which looks at no attribute.
algorithms:
{algorithms}
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

_SPLITS = """\
# `quadrepro run {config} --repeats 30` adds splits; `quadrepro check` shows what they can tell.
repeats: 10                                  # random splits into training and test rows"""

_ONE_SPLIT = "repeats: 1                                   # the rows of the two files"

_LOGISTIC = """\
  - name: logistic regression
    pipeline: [StandardScaler, {logistic}]
    label: Logistic regression
    grid: {{logisticregression__C: [0.01, 0.1, 1, 10]}}
"""

_RIDGE = """\
  - name: ridge
    pipeline: [StandardScaler, Ridge]
    label: Ridge regression
    grid: {{ridge__alpha: [100, 10, 1, 0.1]}}
"""

_TREES = """\
  - name: random forest
    algorithm: sklearn:RandomForest{kind}
    label: Random forest                     # it needs no search{forest}
  - name: gradient boosting
    algorithm: sklearn:HistGradientBoosting{kind}
    label: Gradient boosting{trees}
    grid: {{max_leaf_nodes: [4, 16]}}
"""

_VOTES = """\
  - name: quadboost-l2                       # votes over 10 stumps per attribute, at its quantiles
    algorithm: quadrepro:QuadBoostClassifier
    label: QuadBoost-L2
    settings: {{norm: l2, n_rounds: 1000{votes}}}
    grid: {{lam: [1, 0.1, 0.01, 0.001]}}"""

_BOOSTING = "  - {{name: boosting, settings: {{cuts: 3}}}}"

_UNWEIGHTED = {"logistic": "LogisticRegression", "forest": "", "trees": "", "votes": ""}

_WEIGHTED = {
    "logistic": "{LogisticRegression: {class_weight: balanced, max_iter: 1000}}",
    "forest": "\n    settings: {class_weight: balanced, min_samples_leaf: 5}",
    "trees": "\n    settings: {class_weight: balanced, early_stopping: false}",
    "votes": ", class_weight: balanced",
}
"""All learners count every class alike, so that methods are compared and not their cut-offs."""


def draft_config(card: Card, file: str, place: str) -> str:
    """Return the text of a first config for the card of a file, which is written to `place`."""
    view = card.view(ANY_VIEW)
    sizes = view.class_sizes(card.target)
    # Both of two classes are needed in the training rows without a fold, and in the test rows.
    learnable = len(sizes) > 2 or min(sizes, default=0) > 2
    # scikit-learn needs as many test rows as classes, and a class with rows in all folds.
    several = 1 < sum(size > 1 for size in sizes) <= 3 * sum(sizes) // 10 and max(sizes) > 4
    stratify = ", stratify: true" if several and learnable else ""
    note = next(iter(imbalance(card.target, view)), "")
    kind, algorithms, choose_by = "Regressor", _RIDGE + _TREES + _BOOSTING, ""
    metrics = "[mae, r2]                           # and the RMSE"
    if sizes:
        kind, algorithms = "Classifier", _LOGISTIC + _TREES + _VOTES
        metrics = "[balanced_error, auc]               # and the share of wrong rows"
    weights = _UNWEIGHTED
    if note and learnable:
        weights, names = _WEIGHTED, ["auc", "average_precision", "balanced_error"]
        if len(sizes) > 2:
            names = ["balanced_error", "auc"]
        choose_by = f"\n  choose_by: {names[0]}"
        metrics = f"[{', '.join(names)}]\nheadline: {names[0]}"
        note += "\n# By class_weight all classes count alike, which distorts log_loss."
    is_split = any(isinstance(source, FileSource) and source.test for source in card.sources)
    return _DRAFT.format(
        schema=SCHEMA,
        file=file if file.isprintable() else repr(file),
        title=to_yaml({"title": f"{card.title}: {card.target.original}"}).strip(),
        card=place,
        repeats=_ONE_SPLIT if is_split else _SPLITS.format(config=f"{card.name}.yaml"),
        split=f"{{column: {PART}}}" if is_split else f"{{train: 0.7, at_most: null{stratify}}}",
        choose_by=choose_by,
        datasets=_datasets(card, view),
        algorithms=algorithms.format(kind=kind, **weights),
        kind=kind,
        metrics=f"{metrics}\n# {note}" if note else metrics,
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
