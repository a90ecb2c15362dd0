from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest
from pydantic import TypeAdapter, ValidationError

from quadrepro.base import code as code_module
from quadrepro.base import plugins
from quadrepro.base.code import code_hash, own_modules
from quadrepro.cli.schemas import config_reference, schema_of
from quadrepro.config.config import Experiment, load_experiment
from quadrepro.config.tables import KINDS
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.registry import ALGORITHMS, find_entry
from quadrepro.core.measures.measure import MEASURES
from quadrepro.data.fetch import _read_by_package
from quadrepro.data.sources.schema import SOURCES, PackageSource, Source, describe, origin
from quadrepro.engine.keys import makers
from quadrepro.errors import ConfigError, DataError
from quadrepro.papers.claims import CLAIMS
from quadrepro.tables.requests import requested
from tests.packages import ALGORITHM, Install


def test_an_algorithm_of_a_package_is_found_by_its_name(install: Install) -> None:
    install("ours", "algorithms", "mine = ours.code:ENTRY")
    entry = find_entry("mine")
    assert isinstance(entry, Entry)
    assert (entry.label, entry.grid) == ("Mine", {"n_rounds": [3]})
    assert type(entry.make({})).__name__ == "AdaBoost"
    [found] = ALGORITHMS.extensions()
    assert (found.title, found.package) == ("ours 1.2", "ours")
    assert plugins.distribution_of("ours.code") == "ours"
    assert plugins.distribution_of("numpy.linalg") == ""


def test_an_unknown_name_is_refused_with_the_nearest_also_of_packages(install: Install) -> None:
    install("ours", "algorithms", "shining-boost = ours.code:ENTRY")
    with pytest.raises(KeyError, match="did you mean 'shining-boost'"):
        find_entry("shinin-boost")


@pytest.mark.parametrize(
    ("points", "code", "message"),
    [
        ("mine = ours.code:ENTRY", "import no_such_module", "ModuleNotFoundError: No module"),
        ("mine = ours.code:ENTRY", "raise SystemExit(3)", "cannot be imported: SystemExit: 3"),
        ("mine = ours.code:LABEL", ALGORITHM, "must be of type Entry, not str"),
        ("mine = ours.code:NONE", ALGORITHM, "cannot be imported: AttributeError"),
        ("mine = ours.none:ENTRY", ALGORITHM, "cannot be imported: ModuleNotFoundError"),
    ],
)
def test_what_cannot_be_used_is_named_with_package_entry_point_and_file(
    install: Install, points: str, code: str, message: str
) -> None:
    package = install("ours", "algorithms", points, code)
    with pytest.raises(ConfigError, match=message) as error:
        find_entry("mine")
    where = f"ours 1.2, entry point quadrepro.algorithms: {points}, in {package.parent}"
    assert str(error.value).startswith(where)
    if "none" not in points:
        assert f"in {package / 'code.py'}:" in str(error.value)


def test_a_name_of_two_packages_is_refused_with_both(install: Install) -> None:
    install("ours", "algorithms", "mine = ours.code:ENTRY")
    install("theirs", "algorithms", "mine = theirs.code:ENTRY")
    with pytest.raises(ConfigError, match=r"(ours|theirs) 1.2 and \w+ 1.2 both add 'mine'"):
        find_entry("mine")


def test_a_name_of_quadrepro_is_not_given_to_a_package(install: Install) -> None:
    install("ours", "algorithms", "adaboost = ours.code:ENTRY")
    assert find_entry("adaboost") is ALGORITHMS["adaboost"]
    with pytest.raises(ConfigError, match="'adaboost' is a name of quadrepro itself"):
        ALGORITHMS.extensions()


def test_a_package_that_is_found_twice_is_one(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = install("ours", "algorithms", "mine = ours.code:ENTRY").parent
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path, f"{folder}/../site"])
    plugins._by_name.cache_clear()
    assert isinstance(find_entry("mine"), Entry)


def test_our_own_names_are_found_without_reading_entry_points(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plugins._by_name.cache_clear()
    monkeypatch.setattr(plugins, "entry_points", Mock(side_effect=AssertionError))
    assert find_entry("adaboost")
    assert MEASURES.find("c_bound")
    assert CLAIMS.find("lower")


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("MEANS", "its key is 'means', not 'mine'"),
        ("Mine()", "risks are files of quadrepro"),
        ("3", "must be of type TableKind, not int"),
    ],
)
def test_a_kind_of_table_that_would_be_mistaken_for_ours_is_refused(
    install: Install, kind: str, message: str
) -> None:
    code = f"""
from quadrepro.tables.kinds.base import TableKind
from quadrepro.tables.kinds.errors import MEANS

class Mine(TableKind):
    key, option, stem = "mine", bool, "risks"

KIND = {kind}
"""
    install("ours", "tables", "mine = ours.code:KIND", code)
    with pytest.raises(ConfigError, match=message):
        KINDS.find("mine")


def test_a_class_must_be_of_its_base(install: Install) -> None:
    install("ours", "sources", "mine = ours.code:Mine", "class Mine:\n    pass\n")
    with pytest.raises(ConfigError, match="must be a subclass of PackageSource"):
        SOURCES.find("mine")


def test_the_code_and_the_version_of_a_package_belong_to_the_key(install: Install) -> None:
    code = """
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.learner import Entry
from . import helper

class Mine(AdaBoost):
    pass

ENTRY = Entry(Mine, helper.LABEL, "a paper")
"""
    package = install("ours", "algorithms", "mine = ours.code:ENTRY", code)
    entry = find_entry("mine")
    assert isinstance(entry, Entry)
    learner = entry.make({})
    assert own_modules([type(learner).__module__]) == {"ours", "ours.code", "ours.helper"}
    before = makers(learner, ())
    assert before["packages"]["ours"] == "1.2"
    (package / "helper.py").write_text("LABEL = 'Another'\n")
    code_module._module.cache_clear()
    code_hash.cache_clear()
    assert makers(learner, ())["code"] != before["code"]
    code_module._module.cache_clear()
    code_hash.cache_clear()


def test_a_source_of_a_package_is_one_of_a_card(install: Install) -> None:
    code = """
import numpy as np
from quadrepro.data.canonical import Frame
from quadrepro.data.sources.schema import PackageSource

class Table(PackageSource):
    rows: int

    def read(self):
        if self.rows < 0:
            raise OSError("no such table")
        return Frame((np.arange(float(self.rows)),), self.words)
"""
    install("ours", "sources", "table = ours.code:Table", code)
    source = TypeAdapter(Source).validate_python({"kind": "table", "rows": 3})
    assert isinstance(source, PackageSource)
    assert (describe(source), origin(source)) == ("table", "table")
    assert len(_read_by_package(source).columns[0]) == 3
    with pytest.raises(DataError, match="table: OSError: no such table"):
        _read_by_package(source.model_copy(update={"rows": -1}))
    with pytest.raises(ValidationError, match="unknown key 'row'; did you mean 'rows'"):
        TypeAdapter(Source).validate_python({"kind": "table", "row": 3})
    with pytest.raises(ValidationError, match=r"tag 'openmi' .* does not match"):
        TypeAdapter(Source).validate_python({"kind": "openmi"})


def test_a_config_asks_for_a_table_of_a_package(
    install: Install, small_config: Callable[..., Path]
) -> None:
    def experiment(tables: str) -> Experiment:
        return load_experiment(small_config("baseline: false", f"tables: {tables}"))

    code = """
from quadrepro.tables.kinds.base import TableKind
from quadrepro.tables.table import Table

class Mine(TableKind):
    key, option, meaning = "mine", int, "A number."

    def table(self, context, outcomes):
        return Table("Mine", ("a",), (), (str(context.option),))

KIND = Mine()
"""
    install("ours", "tables", "mine = ours.code:KIND", code)
    [asked] = [r for r in requested(experiment("{mine: 3}")) if r.kind.key == "mine"]
    assert asked.context.option == 3
    assert asked.kind.makes_table
    for wrong, message in (("{mine: x}", "mine must be a whole number"), ("{mind: 3}", "'mine'")):
        with pytest.raises(ConfigError, match=message):
            experiment(wrong)


def test_the_schema_and_the_reference_of_a_config_have_what_packages_add(install: Install) -> None:
    install("ours", "algorithms", "mine = ours.code:ENTRY")
    column = schema_of("config")["$defs"]["AlgorithmEntry"]
    assert "mine" in column["properties"]["algorithm"]["anyOf"][0]["enum"]
    assert "### `mine`\n\nMine (a paper).\n\n- `grid.n_rounds`" in config_reference()
