"""What a results folder was made from and with."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from quadrepro.config.plan import Plan
from quadrepro.engine.records import Record

LABEL = "Provenance: "
"""Begins the note of a table on how its cells were computed."""


def provenance(plan: Plan, records: Iterable[Record]) -> dict[str, Any]:
    """Return what ``run.json`` says: config, data, and with what the cells were computed.

    Parameters
    ----------
    plan : Plan
        What was asked for.
    records : iterable of Record
        Those of its cells.
    """
    config = plan.experiment.config
    return {
        "experiment": plan.experiment.name,
        "config": config.model_dump(mode="json", by_alias=True, exclude_defaults=True),
        "titles": config.titles,
        "seed": config.seed,
        "data": {row: d.content_hash for row, d in plan.datasets.items()},
        "blas_threads": 1,
        "computed": environments(records),
    }


def environments(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Return with what the cells were computed, the environment of most cells first.

    Parameters
    ----------
    records : iterable of Record
        Records, of which those that were not computed are left out.

    Returns
    -------
    list of dict
        Each has the fields of `quadrepro.engine.environment.environment`, the number of ``cells``,
        and the dates of the ``first`` and the ``last`` one.
    """
    found: dict[str, list[Record]] = {}
    for record in records:
        if record.environment:
            found.setdefault(json.dumps(record.environment, sort_keys=True), []).append(record)
    groups = sorted(found.values(), key=lambda group: (-len(group), group[0].key))
    return [
        {
            "cells": len(group),
            "first": min(record.date for record in group),
            "last": max(record.date for record in group),
            **group[0].environment,
        }
        for group in groups
    ]


def mixture(records: Iterable[Record]) -> str:
    """Return in a sentence what a reader of a table must know of how its cells were computed.

    Parameters
    ----------
    records : iterable of Record
        Those of the table.

    Returns
    -------
    str
        Empty if all were computed with the same packages on the same kind of processor, from code
        that was committed.
    """
    computed = environments(records)
    alike = {json.dumps([e["versions"], e["processor"]], sort_keys=True) for e in computed}
    sentences = []
    if len(alike) > 1:
        sentences.append(
            f"Cells were computed with {len(alike)} sets of packages or processors, which"
            " run.json lists."
        )
    if dirty := sum(e["cells"] for e in computed if e["git"].get("dirty")):
        sentences.append(f"{dirty} cells were computed by code that was not committed.")
    return LABEL + " ".join(sentences) if sentences else ""
