"""The commands of README and tutorial run in turn, and print what is shown below them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.call import quadrepro

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
CSV = "size,label\n" + "".join(f"{i},{'yes' if i % 7 > i % 5 else 'no'}\n" for i in range(60))
NOT_RUN = r"make |pip |source |quadrepro fetch |quadrepro \w+ configs/table1|.*--repeats 10"


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial.md"])
def test_commands_run_and_print_what_is_shown(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("examples").symlink_to(ROOT / "examples")
    Path("my.csv").write_text(CSV)
    text = (ROOT / page).read_text(encoding="utf-8")
    if config := re.search(r"`(mine\.yaml)`:\n\n```yaml\n(.*?)```", text, re.DOTALL):
        Path(config[1]).write_text(config[2])
    for block in re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            if re.match(NOT_RUN, command):
                continue
            result = quadrepro(*shlex.split(command, comments=True)[1:])
            assert result.exit_code == 0, result.output
            lines = [line for line in shown.splitlines() if line not in ("", "...")]
            printed = re.sub(r"\s+", " ", result.output)
            assert [line for line in lines if re.sub(r"\s+", " ", line) not in printed] == []
