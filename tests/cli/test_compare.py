from __future__ import annotations

from pathlib import Path

from tests.cli.call import quadrepro
from tests.results.made import make_folder


def test_folders_agree_or_their_difference_is_shown(tmp_path: Path) -> None:
    a, b = (make_folder(tmp_path / side / "one", claims__md="- A claim.\n") for side in "ab")
    same = quadrepro("compare", a, b)
    assert same.exit_code == 0
    assert f"{a} and {b} agree" in same.stdout
    errors = b / "errors.csv"
    errors.write_text(errors.read_text().replace("0.44", "0.54"))
    for sides in ((a, b), (a.parent, b.parent)):
        result = quadrepro("compare", *sides)
        assert result.exit_code == 4
        assert f"error: {a / 'errors.csv'}, row 1, column 'mean': '0.44', but" in result.stderr
        assert result.stdout.startswith("one: ")
    assert quadrepro("compare", a, b, "--tolerance", 0.3).exit_code == 0
