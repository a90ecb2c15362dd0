from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import quadrepro
from quadrepro.engine.keys import commit_of, environment, utc_now


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


def test_the_environment_names_packages_processor_and_commit() -> None:
    found = environment()
    assert {"python", "numpy", "highspy"} <= set(found["versions"])
    assert found["git"] == commit_of(Path(quadrepro.__file__).resolve().parent)
    assert found["processor"]["machine"]
    assert isinstance(found["processor"]["simd"], list)
    assert isinstance(found["compiled"], bool)


def test_times_sort_as_texts() -> None:
    first = utc_now()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first)
    assert first <= utc_now()
