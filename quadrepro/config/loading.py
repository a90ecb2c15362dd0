"""Reading a config, or a mapping with its content, into a checked experiment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from quadrepro.base.models import validated
from quadrepro.base.yaml import YamlSource, read_yaml
from quadrepro.config.consistency import check
from quadrepro.config.config import Config, Experiment

LONGEST_NAME = 60
"""Maximum number of characters of a title that name a folder."""


def load_experiment(path: Path, repeats: int | None = None) -> Experiment:
    """Read and check a config."""
    source = read_yaml(path)
    return _experiment(path.stem, source, repeats, path.parent)


def load_mapping(config: Mapping[str, Any], repeats: int | None = None) -> Experiment:
    """Check a config that was not read from a file."""
    source = YamlSource(Path("config"), _plain(config))
    name = re.sub(r"[\W_]+", "-", str(config.get("title", "")).lower()).strip("-")
    return _experiment(name[:LONGEST_NAME] or "config", source, repeats)


def _plain(value: Any) -> Any:
    """Return lists and numbers in place of tuples, ranges, arrays and their numbers."""
    if isinstance(value, Mapping):
        return {key: _plain(of) for key, of in value.items()}
    if isinstance(value, list | tuple | range):
        return [_plain(of) for of in value]
    return value.tolist() if hasattr(value, "tolist") else value


def _experiment(
    name: str, source: YamlSource, repeats: int | None, folder: Path | None = None
) -> Experiment:
    if repeats is not None and isinstance(source.data, dict):
        source = replace(source, data={**source.data, "repeats": repeats})
    config = validated(Config, source, context={"folder": folder})
    outer = config.protocol.split.repeats
    if "repeats" not in config.model_fields_set and outer is not None:
        config = config.model_copy(update={"repeats": outer})
    experiment = Experiment(name, config, source)
    check(experiment)
    return experiment
