"""`.ci/run`, with stand-ins for what it calls."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

RUN = Path(__file__).resolve().parents[1] / ".ci" / "run"

TOOLS = ("bash", "cp", "dirname", "env", "mkdir", "mktemp", "nproc", "rm")

MAKE = """venv=${1#VENV=} && mkdir -p "$venv/bin"
for name in python quadrepro; do cp "${0%make}git" "$venv/bin/$name"; done
echo "$2" >> "$MADE"
"""


def test_it_needs_no_root_and_leaves_the_environment_of_the_checkout_alone(tmp_path: Path) -> None:
    tools, checkout = tmp_path / "tools", tmp_path / "checkout"
    for folder in (tools, checkout / ".ci", checkout / ".venv"):
        folder.mkdir(parents=True)
    for name in TOOLS:
        (tools / name).symlink_to(shutil.which(name) or name)
    stands_in = {"make": MAKE, "git": "", "id": "echo 1000", "apt-get": "exit 100"}
    for name, text in stands_in.items():
        (tools / name).write_text(f"#!{tools}/bash\n{text}\n")
        (tools / name).chmod(0o755)
    shutil.copy(RUN, checkout / ".ci")
    (checkout / ".venv" / "mine").touch()
    variables = {"PATH": str(tools), "MADE": str(tmp_path / "made"), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [checkout / ".ci" / "run"], env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    messages = ["no LaTeX: no table is set", "no browser: pages are not tried in one"]
    assert done.stderr.splitlines() == messages
    assert (checkout / ".venv" / "mine").exists()
    goals = (tmp_path / "made").read_text().split()
    assert goals == ["lint", "quickstart", "test", "test-slow", "docs"]
