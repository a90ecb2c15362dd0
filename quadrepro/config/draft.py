"""A first config for a user's own file: complete, commented, and small enough for a laptop."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quadrepro.base.yaml import Block, to_yaml
from quadrepro.core.learners.registry import find_entry
from quadrepro.data.card import ANY_VIEW, Card
from quadrepro.data.inspection import class_sizes, imbalance
from quadrepro.errors import ConfigError

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
repeats: 5                                   # random splits into training and test rows

protocol:
  view: default                              # of the card {card}
  split: {{train: 0.7, at_most: null{stratify}}}
  normalise: none                            # attributes stay as they are; pipelines scale them
  folds: 3                                   # of the training rows, to choose values by

{datasets}
# Each searches over its `grid`, from simple to complex: ties go to the first value. The last column
# of all tables is a baseline, which looks at no attribute.
algorithms:
{algorithms}
metrics: {metrics}
tables:
  scatter: gradient boosting                 # its error against that of each other, split by split
"""

_FOREST_AND_BOOSTING = """\
  - name: random forest
    algorithm: sklearn:RandomForest{kind}
    label: Random forest                     # it needs no search
  - name: gradient boosting
    algorithm: sklearn:HistGradientBoosting{kind}
    label: Gradient boosting
    grid: {{max_leaf_nodes: [4, 16]}}
"""

_OF_CLASSES = """\
  - name: logistic regression
    pipeline: [StandardScaler, LogisticRegression]
    label: Logistic regression
    grid: {logisticregression__C: [0.01, 0.1, 1, 10, 100]}
"""

_QUADBOOST = """\
  - quadboost-l2                             # a name alone searches over default values:
                                             # `quadrepro list algorithms` shows them
"""

_OF_NUMBERS = """\
  - name: ridge
    pipeline: [StandardScaler, Ridge]
    label: Ridge regression
    grid: {ridge__alpha: [100, 10, 1, 0.1]}
"""

_BOOSTING = """\
  - name: boosting                           # without a grid it searches over default values:
    settings: {cuts: 3}                      # `quadrepro list algorithms` shows them
"""

_OTHERS = """\
  # Other packages, and a class of your own in my_models.py with fit and predict:
{xgboost}\
  # - {{name: mine, algorithm: "my_models:Mine"}}
"""

GRIDS = {
    "xgboost": """\
    settings: {n_estimators: 100}
    grid: {max_depth: [2, 4, 6], learning_rate: [0.1, 0.3]}
""",
    "lightgbm": """\
    settings: {n_estimators: 100}
    grid: {num_leaves: [4, 8, 31], learning_rate: [0.03, 0.1]}
""",
    "catboost": """\
    settings: {iterations: 200}
    grid: {depth: [4, 6]}
""",
}
"""What is searched over for estimators of other packages, from simple to complex."""

_REMARKS = {
    "exclude": "IDs, codes that are too many, and months and weekdays: remove a name to use it.",
    "nominal": "Each code becomes a column of zeros and ones.",
    "missing": "Gaps are filled with the mean of the training rows; or: low, drop.",
}


def draft_config(card: Card, file: str, place: str, added: Sequence[str] = ()) -> str:
    """Return the text of a first config."""
    view = card.view(ANY_VIEW)
    of_numbers = card.task == "regression"
    kind = "Regressor" if of_numbers else "Classifier"
    stratified = min(class_sizes(card.target, view), default=0) >= ENOUGH
    return _DRAFT.format(
        schema=SCHEMA,
        file=file if file.isprintable() else repr(file),
        title=to_yaml({"title": f"{card.title}: {card.target.original}"}).strip(),
        config=f"{card.name}.yaml",
        card=place,
        stratify=", stratify: true" if stratified else "",
        datasets=_datasets(card),
        algorithms="".join(
            [
                _OF_NUMBERS if of_numbers else _OF_CLASSES,
                _FOREST_AND_BOOSTING.format(kind=kind),
                _BOOSTING if of_numbers else _QUADBOOST,
                *(_added(name, card) for name in added),
                _OTHERS.format(xgboost=_commented(_estimator(f"xgboost:XGB{kind}"))),
            ]
        ),
        metrics=_metrics(card),
    )


def _added(name: str, card: Card) -> str:
    """Return the lines of an algorithm that the user named."""
    task = card.task_of(card.view(ANY_VIEW))
    try:
        learner = find_entry(name, str(Path.cwd())).make({})
    except (KeyError, ValueError) as error:
        raise ConfigError(f"--with {name}: {error.args[0]}") from None
    if learner.for_task(task) is None:
        predicted = "a number" if task == "regression" else "a class"
        raise ConfigError(
            f"--with {name}: it cannot predict {predicted}, as {card.target.original}"
        )
    return _estimator(name) if ":" in name else f"  - {name}\n"


def _estimator(path: str) -> str:
    """Return the lines of an estimator, with a grid if its package is known."""
    module, _, name = path.partition(":")
    return f"  - name: {name}\n    algorithm: {path}\n{GRIDS.get(module, '')}"


def _commented(lines: str) -> str:
    return "".join(f"  # {line[2:]}" for line in lines.splitlines(keepends=True))


def _metrics(card: Card) -> str:
    """Return the metrics beside the error, with a comment."""
    if card.task == "regression":
        return "[mae, r2]                           # and the RMSE"
    notes = [*imbalance(card.target, card.view(ANY_VIEW))]
    if not notes:
        return "[balanced_error, auc]               # and the share of wrong rows"
    return f"[balanced_error, auc, log_loss]     # and the share of wrong rows\n# {notes[0]}"


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
    lines = to_yaml({"datasets": Block([entry])}).splitlines(keepends=True)
    for key in view:
        at = next(i for i, line in enumerate(lines) if line.startswith(f"      {key}:"))
        lines.insert(at, f"      # {_REMARKS[key]}\n")
    return "".join(lines)
