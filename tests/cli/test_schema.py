from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from quadrepro.cli import main
from quadrepro.cli.reference import config_reference
from quadrepro.cli.schemas import schema_of, schema_text


def schema(*words: str) -> Result:
    return CliRunner().invoke(main, ["schema", *words])


@pytest.mark.parametrize("what", ["config", "card", "paper"])
def test_it_prints_the_schema_of_each_kind_of_document(what: str) -> None:
    result = schema(what)
    assert result.exit_code == 0
    assert json.loads(result.stdout) == schema_of(what)


def test_it_writes_a_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.json"
    assert schema("--out", str(path)).stdout == f"Wrote {path}\n"
    assert path.read_text(encoding="utf-8") == schema_text("config")


def test_it_prints_the_page_of_the_keys_of_a_config_alone() -> None:
    assert schema("--format", "markdown").stdout == config_reference()
    assert schema("card", "--format", "markdown").exit_code == 2
