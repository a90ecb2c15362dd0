"""The package of examples/extension, installed as its README says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "extension"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the package, installed without a network."""
    folder = tmp_path_factory.mktemp("site")
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--no-compile", "--target")
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    subprocess.run([*pip, *options, folder, EXAMPLE], check=True, capture_output=True)
    return folder


def call(site: Path, *words: object) -> str:
    path = os.pathsep.join([str(site), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", *map(str, words)],
        env=os.environ | {"PYTHONPATH": path, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        cwd=site,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_own_tests_pass(site: Path) -> None:
    options = ("-q", "-p", "no:cacheprovider", "--rootdir", EXAMPLE)
    assert " passed" in call(site, "pytest", *options, EXAMPLE / "tests")


def test_its_contracts_hold(site: Path) -> None:
    lines = call(site, "quadrepro", "check-extension", "quadrepro-margin").splitlines()
    heads = [line.split()[0] for line in lines if line[0] != " "]
    assert heads == ["adaboost-rho", "directions", "least_margin", "within", "spread"]
    assert all(line.startswith("  ok  ") for line in lines if line[0] == " ")


def test_a_config_names_all_that_it_adds(site: Path, tmp_path: Path) -> None:
    configs = (EXAMPLE / "margin.yaml", EXAMPLE / "rounds.yaml")
    call(site, "quadrepro", "run", *configs, "--jobs", 1, "--quiet", "--out", tmp_path)
    spread = (tmp_path / "margin" / "spread.md").read_text(encoding="utf-8")
    assert spread.startswith("## Boosting towards a margin: spread of the risks")
    assert "AdaBoost_ϱ" in spread
    claims = (tmp_path / "margin" / "claims.md").read_text(encoding="utf-8")
    assert "Aiming at a margin costs at most five points" in claims
    risks = (tmp_path / "margin" / "risks.md").read_text(encoding="utf-8")
    assert "| monks" in risks
    curves = (tmp_path / "rounds" / "curves.md").read_text(encoding="utf-8")
    assert "least margin" in curves
    verified = call(
        site, "quadrepro", "explain", "--verify", EXAMPLE / "margin.yaml", "--out", tmp_path
    )
    assert verified.count("verified") == 2
    # AdaBoost_ϱ has a certificate of its own.
    assert all("e-" in line for line in verified.splitlines() if line.endswith("verified"))


def test_lists_say_which_package_a_name_is_from(site: Path) -> None:
    for what, name in (("algorithms", "adaboost-rho"), ("voters", "directions")):
        listed = call(site, "quadrepro", "list", what, "--format", "csv").splitlines()
        rows = {line.partition(",")[0]: line for line in listed}
        assert rows[name].endswith(",quadrepro-margin 0.1.0")
        assert rows["adaboost" if what == "algorithms" else "trees"].endswith(",quadrepro")
