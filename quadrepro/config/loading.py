"""Reading a config, or a mapping with its content, into a checked experiment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from quadrepro.base.models import validated
from quadrepro.base.yaml import YamlSource, read_yaml
from quadrepro.config.config import Config, Experiment
from quadrepro.config.consistency import check

LONGEST_NAME = 60
"""Maximum number of characters of a title that name a folder."""


def load_experiment(path: Path, repeats: int | None = None) -> Experiment:
    """Read and check a config."""
    return _experiment(path.stem, read_yaml(path), repeats, path.parent)


def load_mapping(config: Mapping[str, Any], repeats: int | None = None) -> Experiment:
    """Check a config that was not read from a file."""
    name = re.sub(r"[\W_]+", "-", str(config.get("title", "")).lower()).strip("-")
    source = YamlSource(Path("config"), _plain(config))
    return _experiment(name[:LONGEST_NAME] or "config", source, repeats)


def _plain(value: Any) -> Any:
    """Return lists and numbers in place of tuples, ranges, arrays and their numbers."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | range):
        return [*map(_plain, value)]
    return value.tolist() if hasattr(value, "tolist") else value


def _experiment(
    name: str, source: YamlSource, repeats: int | None, folder: Path | None = None
) -> Experiment:
    if repeats is not None and isinstance(source.data, dict):
        source = replace(source, data={**source.data, "repeats": repeats})
    config = validated(Config, source, context={"folder": folder})
    if "repeats" not in config.model_fields_set and (outer := config.protocol.split.repeats):
        config = config.model_copy(update={"repeats": outer})
    experiment = Experiment(name, config, source)
    check(experiment)
    return experiment
