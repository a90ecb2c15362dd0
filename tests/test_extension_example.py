"""The package of examples/extension, installed as its README says."""

from __future__ import annotations

import os
import re
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
        [sys.executable, *map(str, words)],
        env=os.environ | {"PYTHONPATH": path, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        cwd=site,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


CODE = """
import sys
from quadrepro.cli import main

for command in sys.argv[1:]:
    main(command.split(), standalone_mode=False)
"""


def commands(site: Path, *each: str) -> str:
    """Return what commands print that are called one after another in a process."""
    return call(site, "-c", CODE, *each)


def test_its_own_tests_pass(site: Path) -> None:
    # `quadrepro check-extension` asks for all contracts, here they are those of one name.
    some = "not the_contracts_hold or least_margin"
    options = ("-q", "-p", "no:cacheprovider", "--rootdir", EXAMPLE, "-k", some)
    assert " passed" in call(site, "-m", "pytest", *options, EXAMPLE / "tests")


def test_its_contracts_hold_and_lists_say_which_package_a_name_is_from(site: Path) -> None:
    listed = "list algorithms --format csv"
    lines = commands(site, "check-extension quadrepro-margin", listed).splitlines()
    heads = [line.split()[0] for line in lines if line.endswith(" 0.1.0)")]
    assert heads == ["adaboost-rho", "least_margin", "within", "spread"]
    assert not [line for line in lines if line.startswith("  ") and line[:6] != "  ok  "]
    packages = dict(re.findall(r"^([\w-]+),.*,(.*)$", "\n".join(lines), re.M))
    ours, theirs = "quadrepro", "quadrepro-margin 0.1.0"
    assert (packages["adaboost"], packages["adaboost-rho"]) == (ours, theirs)


def test_a_config_names_all_that_it_adds(site: Path, tmp_path: Path) -> None:
    configs = (EXAMPLE / "margin.yaml", EXAMPLE / "rounds.yaml")
    run = f"run {configs[0]} {configs[1]} --jobs 1 --quiet --out {tmp_path}"
    printed = commands(site, run, f"explain --verify {configs[0]} --out {tmp_path}")
    spread = (tmp_path / "margin" / "spread.md").read_text(encoding="utf-8")
    assert spread.startswith("## Boosting towards a margin: spread of the risks")
    assert "AdaBoost_ϱ" in spread
    claims = (tmp_path / "margin" / "claims.md").read_text(encoding="utf-8")
    assert "Aiming at a margin costs at most five points" in claims
    risks = (tmp_path / "margin" / "risks.md").read_text(encoding="utf-8")
    assert "| monks" in risks
    curves = (tmp_path / "rounds" / "curves.md").read_text(encoding="utf-8")
    assert "least margin" in curves
    verified = [line for line in printed.splitlines() if line.endswith("verified")]
    assert len(verified) == 2
    # AdaBoost_ϱ has a certificate of its own.
    assert all("e-" in line for line in verified)
