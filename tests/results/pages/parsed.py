"""What a page holds, read with the standard library's parser."""

from __future__ import annotations

from html.parser import HTMLParser

INLINE = {"span", "b", "small", "em", "strong", "code"}
VOID = {"meta", "link", "br", "img", "input", "area", "hr"}


class Parsed(HTMLParser):
    """Elements and texts of a page; fails if its elements do not nest."""

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
        self.handle_data("" if tag in INLINE else " ")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag
            self.handle_data("" if tag in INLINE else " ")

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    @property
    def words(self) -> str:
        """What is read on the page, scripts and style aside."""
        texts = (text for tag, text in self.texts if tag not in ("script", "style"))
        return " ".join("".join(texts).split())

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attrs for name, attrs in self.elements if name == tag]

    def check(self) -> Parsed:
        """Fail if ids repeat, links lead nowhere, or anything comes from elsewhere."""
        ids = [attrs["id"] for _, attrs in self.elements if "id" in attrs]
        assert len({*ids}) == len(ids)
        for _, attrs in self.elements:
            assert not attrs.get("href", "").startswith("#") or attrs["href"][1:] in ids
            assert attrs.get("src", "data:").startswith("data:")
            assert attrs.get("aria-labelledby", ids[0]) in ids
            assert not [name for name in attrs if name.startswith("on")]
        assert len(self.all("h1")) == len(self.all("main")) == 1
        return self
