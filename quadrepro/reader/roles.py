"""Names that tell the role of a row or a column of a printed table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import yaml


@cache
def _vocabulary() -> dict[str, Any]:
    return dict(yaml.safe_load(Path(__file__).with_name("vocabulary.yaml").read_text("utf-8")))


def _key(name: str) -> str:
    """Return a name in lower case, with blanks for underscores and without signs at its ends."""
    text = re.sub(r"[_\s]+", " ", name.lower()).strip(" .:*↑↓")
    return re.sub(r"\.(?=\s|$)", "", re.sub(r"\s*[(\[](%|percent|in %)[)\]]$", "", text))


@cache
def _first(group: str, text: str) -> str:
    """Return the first key of a group of the vocabulary whose pattern fits a text."""
    patterns = _vocabulary()[group].items()
    return next((name for name, pattern in patterns if re.fullmatch(pattern, text)), "")


def column_role(name: str) -> str:
    """Return the role that the name of a column tells, or an empty text.

    Examples
    --------
    >>> [column_role(x) for x in ("Dataset", "# test", "Time (s)", "fold", "#", "AdaBoost")]
    ['data sets', 'test size', 'time', 'fold', 'id', '']
    """
    role = _first("columns", _key(name))
    # The corner of a table may name both its rows and its columns.
    corner = re.split(r"[/\\|]", name)[0]
    return role or ("data sets" if _first("columns", _key(corner)) == "data sets" else "")


def summary_kind(name: str) -> str:
    """Return the kind of a row that sums up others, or an empty text.

    Examples
    --------
    >>> [summary_kind(x) for x in ("Avg. rank", "Mean", "W/T/L", "Wins", "wine")]
    ['rank', 'mean', 'wins–ties–losses', 'wins', '']
    """
    return _first("summaries", _key(name))


def metric_of(name: str) -> str:
    """Return the metric that a name is, or an empty text.

    Examples
    --------
    >>> metric_of("metric_error"), metric_of("Test accuracy (%)"), metric_of("ours")
    ('error', 'accuracy', '')
    """
    words = "metric|test|testing|mean|score|classification|validation"
    return _first("metrics", re.sub(rf"^(({words}) )+", "", _key(name)))


def part_of(name: str) -> tuple[str, str]:
    """Return the method and the metric, or ``time``, in the name of a column; both can be empty.

    Examples
    --------
    >>> [part_of(name) for name in ("Accuracy RF", "RF_f1", "AUC", "RF time (s)", "RF")]
    [('RF', 'accuracy'), ('RF', 'f1'), ('', 'auc'), ('RF', 'time'), ('RF', '')]
    """
    if metric := metric_of(name):
        return "", metric
    if match := re.fullmatch(r"(?:time|t)_(.+?)|(.+?)[ _]*(time|_t|[(\[](s|ms|sec)[)\]])+", name):
        return (match[1] or match[2]).removesuffix("_t").removesuffix(" time").strip(" _"), "time"
    words = re.split(r"[\s_/:-]+", name)
    for first, rest in ((words[0], words[1:]), (words[-1], words[:-1])):
        metric = metric_of(first) or _key(first) * (_key(first) in ("train", "test"))
        if rest and metric:
            return " ".join(rest), metric
    return name, ""


def metric_in(titles: Iterable[str]) -> str:
    """Return the only metric that titles name, or an empty text.

    Examples
    --------
    >>> metric_in(["Table 2: balanced accuracy"]), metric_in(["error and AUC"])
    ('balanced_accuracy', '')
    """
    text, metrics = _key(" ; ".join(titles)), set()
    for metric, pattern in _vocabulary()["metrics"].items():
        # Longer names are searched first: "error" in "mean squared error" does not count.
        if re.search(rf"\b({pattern})\b", text):
            metrics.add(metric)
            text = re.sub(rf"\b({pattern})\b", "", text)
    return metrics.pop() if len(metrics) == 1 else ""


@cache
def split_spread(name: str) -> tuple[str, str]:
    """Return the method in the name of a column, and the kind of its number.

    Examples
    --------
    >>> [split_spread(name) for name in ("ours_sd", "mean_test", "ours", "std")]
    [('ours', 'sd'), ('test', 'mean'), ('ours', ''), ('', 'sd')]
    """
    for kind, pattern in _vocabulary()["spreads"].items():
        if re.fullmatch(pattern, _key(name)):
            return "", kind
        for form in (rf"(?P<base>.*?)[\s_.:/-]+\(?({pattern})\)?", rf"({pattern})[_ ](?P<base>.+)"):
            if match := re.fullmatch(form, name, re.IGNORECASE):
                return match["base"].strip(), kind
    return name, ""


def is_well_known(name: str, kind: str) -> bool:
    """Return whether a widespread method or data set ("methods", "datasets") has this name."""
    return re.fullmatch(_vocabulary()[kind], _key(name)) is not None
