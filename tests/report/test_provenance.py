from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import quadrepro
from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.report.provenance import commit_of, provenance

Write = Callable[..., Path]


def git(root: Path, *words: str) -> str:
    options = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(root), *options, *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return the root of a checkout with a package, a config and results."""
    for name in ("package/__init__.py", "configs/a.yaml", "constraints.txt", "results/a.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("old")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "all")
    return tmp_path


def test_a_clean_checkout_has_its_commit(checkout: Path) -> None:
    commit = git(checkout, "rev-parse", "HEAD")
    assert commit_of(checkout / "package") == {"commit": commit, "dirty": False}


@pytest.mark.parametrize(
    ("name", "dirty"),
    [
        ("package/__init__.py", True),
        ("package/new.py", True),
        ("configs/a.yaml", True),
        ("constraints.txt", True),
        ("results/a.md", False),
    ],
)
def test_changed_code_makes_a_checkout_dirty_and_changed_results_do_not(
    checkout: Path, name: str, dirty: bool
) -> None:
    (checkout / name).write_text("new")
    assert commit_of(checkout / "package")["dirty"] is dirty


def test_a_package_that_is_not_checked_in_has_no_commit(checkout: Path) -> None:
    (checkout / "other").mkdir()
    (checkout / "other" / "__init__.py").write_text("")
    assert commit_of(checkout / "other") == {}


def test_without_git_there_is_no_commit(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert commit_of(checkout / "package") == {}


def test_run_json_names_the_checkout_that_holds_the_package(small_config: Write) -> None:
    found = provenance(make_plan(load_experiment(small_config())))
    package = Path(quadrepro.__file__).resolve().parent
    assert (package / "report" / "provenance.py").is_file()
    assert found["git"] == commit_of(package)
    assert found["experiment"] == "small"
    assert found["seed"] == found["config"]["seed"] == 7
    assert {*found["data"]} == {"monks", "people"}
