from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quadrepro import extensions
from quadrepro.data.sources.schema import PackageSource
from quadrepro.errors import ConfigError
from quadrepro.learners.registry import ALGORITHMS, Entry, find_entry
from quadrepro.measures.registry import find_measure
from quadrepro.papers.claims import find_claim
from quadrepro.report.kinds import find_kind
from quadrepro.voters.registry import find_voter_set

Install = Callable[..., Path]

ALGORITHM = """
from quadrepro.learners.greedy.adaboost import AdaBoost
from quadrepro.learners.registry import Entry
from .helper import LABEL
ENTRY = Entry(AdaBoost, LABEL, "a paper", grid={"n_rounds": [3]})
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Return a function that installs a package with entry points of one kind."""
    folder = tmp_path / "site"
    monkeypatch.syspath_prepend(str(folder))

    def forget() -> None:
        for cached in (extensions._by_name, extensions.distribution_of):
            cached.cache_clear()

    def make(name: str, kind: str, points: str, code: str = ALGORITHM) -> Path:
        package = folder / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "code.py").write_text(code)
        (package / "helper.py").write_text("LABEL = 'Mine'\n")
        about = folder / f"{name}-1.2.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
        (about / "entry_points.txt").write_text(f"[quadrepro.{kind}]\n{points}\n")
        forget()
        return package

    forget()
    yield make
    forget()
    for name in [name for name in sys.modules if name.partition(".")[0] in ("ours", "theirs")]:
        del sys.modules[name]


def test_an_algorithm_of_a_package_is_found_by_its_name(install: Install) -> None:
    install("ours", "algorithms", "mine = ours.code:ENTRY")
    entry = find_entry("mine")
    assert isinstance(entry, Entry)
    assert (entry.label, entry.grid) == ("Mine", {"n_rounds": [3]})
    assert type(entry.make({})).__name__ == "AdaBoost"
    [found] = extensions.every("algorithms", ALGORITHMS)
    assert (found.title, found.package) == ("ours 1.2", "ours")
    assert extensions.distribution_of("ours.code") == "ours"
    assert extensions.distribution_of("numpy.linalg") == ""


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
        extensions.every("algorithms", ALGORITHMS)


def test_a_package_that_is_found_twice_is_one(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = install("ours", "algorithms", "mine = ours.code:ENTRY").parent
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path, f"{folder}/../site"])
    extensions._by_name.cache_clear()
    assert isinstance(find_entry("mine"), Entry)


def test_our_own_names_are_found_without_reading_entry_points(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unread(group: str) -> None:
        raise AssertionError(f"{group} is read")

    extensions._by_name.cache_clear()
    monkeypatch.setattr(extensions, "entry_points", unread)
    assert find_entry("adaboost")
    assert find_measure("c_bound")
    assert find_voter_set("trees")
    assert find_claim("lower")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "from quadrepro.report.kinds.means import MEANS as KIND",
            "its key is 'means', not 'mine'",
        ),
        (
            "from quadrepro.report.kinds.base import Kind\nKIND = Kind(key='mine', option=bool, "
            "default=True)",
            "it must not have a default",
        ),
        (
            "from quadrepro.report.kinds.base import Kind\nKIND = Kind(key='mine', option=bool, "
            "stem='risks')",
            "risks are files of quadrepro",
        ),
    ],
)
def test_a_kind_of_table_that_would_be_mistaken_for_ours_is_refused(
    install: Install, code: str, message: str
) -> None:
    install("ours", "tables", "mine = ours.code:KIND", code)
    with pytest.raises(ConfigError, match=message):
        find_kind("mine")


def test_a_class_must_be_of_its_base(install: Install) -> None:
    install("ours", "sources", "mine = ours.code:Mine", "class Mine:\n    pass\n")
    extension = extensions.find("sources", "mine")
    assert extension is not None
    with pytest.raises(ConfigError, match="must be a subclass of PackageSource"):
        extension.load_class(PackageSource)
