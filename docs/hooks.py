"""What the documentation site takes from outside of `docs/`, and where links to the rest lead."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
TAKEN = (".md", ".svg", ".png", ".csv")
"""Endings of the files of `results/` that the site shows or offers."""

OPTIONS = """

## All options

::: mkdocs-click
    :module: quadrepro.cli
    :command: main
    :prog_name: quadrepro
    :depth: 2
    :style: plain
"""
"""What the site adds to the page of commands: the help of every verb."""

_LINK = re.compile(r"(?<=\]\()(?!https?:|#|mailto:)([^)\s#]+)")


def on_files(files: Files, config: Any) -> Files:
    """Add the README as the first page, the changes, and the results."""
    pages = {"index.md": ROOT / "README.md", "CHANGELOG.md": ROOT / "CHANGELOG.md"}
    results = ROOT / "results"
    pages |= {
        path.relative_to(ROOT).as_posix(): path
        for path in sorted(results.rglob("*"))
        if path.suffix in TAKEN and "records" not in path.parts
    }
    # `make docs` makes the pages of all experiments from `results/` alone.
    made = ROOT / "build" / "pages"
    pages |= {
        path.relative_to(made.parent).as_posix(): path for path in sorted(made.rglob("*.html"))
    }
    for uri, path in pages.items():
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Let links lead to pages of the site, or else to the repository."""
    source = Path(page.file.abs_src_path or "")
    known = {file.src_uri for file in files}

    def place(match: re.Match[str]) -> str:
        target = (source.parent / match[1]).resolve()
        if not target.is_relative_to(ROOT) or not target.exists():
            return match[0]  # a broken link, which the build reports
        name = target.relative_to(ROOT).as_posix()
        uri = "index.md" if name == "README.md" else name.removeprefix("docs/")
        if uri in known:
            depth = page.file.src_uri.count("/")
            return "../" * depth + uri
        kind = "tree" if target.is_dir() else "blob"
        return f"{config['repo_url']}/{kind}/main/{name}"

    options = OPTIONS if page.file.src_uri == "commands.md" else ""
    return _page_of(page.file.src_uri, known) + _LINK.sub(place, markdown) + options


def _page_of(uri: str, known: set[str]) -> str:
    """Return a link to the page of an experiment above its notes, and to all above the results."""
    if uri == "results/README.md" and "pages/index.html" in known:
        return "[Every number leads to its splits on these pages](../pages/index.html).\n\n"
    name = uri.removeprefix("results/").removesuffix("/notes.md")
    if f"pages/{name}/report.html" in known:
        return f"[Tables and figures of this experiment](../../pages/{name}/report.html)\n\n"
    return ""
