"""What a results folder was made from and with."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import quadrepro
from quadrepro.config.plan import Plan
from quadrepro.engine.versions import versions


def provenance(plan: Plan) -> dict[str, Any]:
    """Return what ``run.json`` says: config, data, versions, machine and commit."""
    config = plan.experiment.config
    return {
        "experiment": plan.experiment.name,
        "config": config.model_dump(mode="json", by_alias=True, exclude_defaults=True),
        "seed": config.seed,
        "data": {row: d.content_hash for row, d in plan.datasets.items()},
        "versions": versions(),
        "platform": {
            "system": platform.platform(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
        },
        "blas_threads": 1,
        "git": commit_of(Path(quadrepro.__file__).resolve().parent),
    }


def commit_of(package: Path) -> dict[str, Any]:
    """Return the commit that a package is checked out at.

    Parameters
    ----------
    package : Path
        Folder of the package, below the root of the checkout.

    Returns
    -------
    dict
        The hash as ``commit``, and whether code, configs, cards or constraints differ from it as
        ``dirty``; results do not count. Empty outside a checkout.
    """
    parts = [package.name, "configs", "datasets", "constraints.txt"]

    def ask(*words: str) -> str:
        command = ["git", "-C", str(package.parent), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        ask("ls-files", "--error-unmatch", f"{package.name}/__init__.py")
        commit = ask("rev-parse", "HEAD")
        return {"commit": commit, "dirty": bool(ask("status", "--porcelain", "--", *parts))}
    except (OSError, subprocess.CalledProcessError):
        return {}
