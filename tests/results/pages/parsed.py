"""What a page holds, read with the standard library's parser."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "br", "img", "input", "area", "hr"}


class Parsed(HTMLParser):
    """Elements, texts and ids of a page; fails if its elements do not nest."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open, tag
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    @property
    def ids(self) -> list[str]:
        return [attrs["id"] for _, attrs in self.elements if "id" in attrs]

    @property
    def words(self) -> str:
        """What is read on the page, scripts and style aside."""
        return "".join(text for tag, text in self.texts if tag not in ("script", "style"))

    @property
    def data(self) -> dict[str, Any]:
        """What the script reads."""
        (text,) = (t for tag, t in self.texts if tag == "script" and t.startswith("{"))
        return dict(json.loads(text))

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attrs for name, attrs in self.elements if name == tag]

    def check(self) -> None:
        """Fail if ids repeat, links lead nowhere, or anything comes from elsewhere."""
        ids = {*self.ids}
        assert len(ids) == len(self.ids)
        for tag, attrs in self.elements:
            href = attrs.get("href", "")
            assert not href.startswith("#") or href[1:] in ids, href
            assert attrs.get("src", "data:").startswith("data:")
            assert tag != "link" or href.startswith("data:")
            for name in ("aria-labelledby", "aria-describedby"):
                assert set(attrs.get(name, "").split()) <= ids
            assert not [name for name in attrs if name.startswith("on")]
        assert len(self.all("h1")) == len(self.all("main")) == 1
