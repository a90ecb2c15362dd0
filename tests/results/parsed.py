"""HTML as elements and words, which is checked as it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

INLINE = {"span", "b", "small", "em", "strong", "code"}
VOID = {"meta", "link", "br", "img", "input", "area", "hr"}


@dataclass
class Element:
    """An element with its attributes, the elements around it, and all text in it."""

    tag: str
    attributes: dict[str, str]
    around: tuple[Element, ...] = ()
    text: str = field(default="", repr=False)

    @property
    def words(self) -> str:
        """The text with single blanks."""
        return " ".join(self.text.split())

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]

    def matches(self, tag: str, class_name: str = "") -> bool:
        """Return whether the element has a tag and, if it is not empty, a class."""
        classes = self.attributes.get("class", "").split()
        return self.tag == tag and class_name in ("", *classes)

    def inside(self, tag: str, class_name: str = "") -> bool:
        """Return whether an element with a tag and a class is around this one."""
        return any(element.matches(tag, class_name) for element in self.around)


class Parsed(HTMLParser):
    """Elements of HTML, which nests, links within itself, and loads and calls nothing."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.root = Element("", {})
        self.open: list[Element] = []
        self.elements: list[Element] = []
        self.feed(html)
        self.close()
        assert self.open == []
        ids = [e["id"] for e in self.elements if "id" in e.attributes]
        assert len({*ids}) == len(ids)
        links = [e["href"] for e in self.elements if "href" in e.attributes]
        assert {link[1:] for link in links if link.startswith("#")} <= {*ids}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, tuple(self.open))
        assert element.attributes.get("src", "data:").startswith("data:")
        assert not [name for name in element.attributes if name.startswith("on")]
        self.elements.append(element)
        self.handle_data("" if tag in INLINE else " ")
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop().tag == tag
            self.handle_data("" if tag in INLINE else " ")

    def handle_data(self, data: str) -> None:
        if not (self.open and self.open[-1].tag in ("script", "style")):
            for element in (self.root, *self.open):
                element.text += data

    @property
    def words(self) -> str:
        """The text of the page with single blanks."""
        return self.root.words

    def all(self, tag: str, class_name: str = "") -> list[Element]:
        """Return the elements with a tag and, if it is not empty, a class."""
        return [element for element in self.elements if element.matches(tag, class_name)]
