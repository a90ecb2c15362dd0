"""Markdown of a results folder, tables and notes, as HTML.

The rounded numbers of a table, with what is bold and marked in them, are in its Markdown alone: its
CSV has eight digits and a column for every number.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from quadrepro.results.folder import OUTSIDE


class _Renderer(RendererHTML):
    """Tables that scroll in a frame of their own, and images as links."""

    def table_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        label = Markup.escape(str(env["label"]))
        return (
            f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">'
            '<table class="sortable">\n'
        )

    def table_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        opened = str(self.renderToken(tokens, idx, options, env))
        return opened if tokens[idx + 1].content else f'{opened}<span class="sr">Name</span>'

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        # A page brings its figures itself and loads nothing.
        token = tokens[idx]
        source = Markup.escape(str(token.attrs.get("src", "")))
        return f'<a href="{source}">{Markup.escape(token.content or "figure")}</a>'


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")


def table_html(markdown: str, label: str) -> tuple[Markup, Markup]:
    """Return the table of a file that `Table.to_markdown` has written, and the notes below it."""
    tokens = _parser().parse(markdown)
    if tokens and tokens[0].type == "heading_open":
        tokens = tokens[3:]
    _mark_row_names(tokens)
    end = next((i for i, token in enumerate(tokens, 1) if token.type == "table_close"), 0)
    return _render(tokens[:end], label), _render(tokens[end:])


def notes_html(markdown: str, here: Collection[str]) -> tuple[Markup, Markup]:
    """Return the section on what does not reproduce, and all other notes."""
    tokens = _parser().parse(markdown)
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        tokens = tokens[3:]
    start, end = _section(tokens)
    for i, token in enumerate(tokens):
        # All are below a heading of the page; the section has one of its own.
        if token.type in ("heading_open", "heading_close") and not start <= i < end:
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
        for child in token.children or ():
            name, ending = str(child.attrs.get("href", "")).rpartition(".")[::2]
            if child.type == "link_open" and ending == "md" and name in here:
                child.attrs["href"] = f"#table-{name}"
    _mark_row_names(tokens)
    outside = tokens[start + 3 : end] if end else []
    return _render(outside), _render(tokens[:start] + tokens[end:])


def _section(tokens: list[Token]) -> tuple[int, int]:
    """Return where the section on what does not reproduce begins and ends, or twice 0."""
    heads = [i for i, token in enumerate(tokens) if token.type == "heading_open"]
    for i in heads:
        if tokens[i + 1].content.strip().lower() == OUTSIDE.lower():
            later = (j for j in heads if j > i and tokens[j].tag <= tokens[i].tag)
            return i, next(later, len(tokens))
    return 0, 0


def _mark_row_names(tokens: list[Token]) -> None:
    """Make the first cell of each row its heading."""
    first = False
    for token in tokens:
        if token.type == "tr_open":
            first = True
        elif first and token.type == "td_open":
            token.tag = "th"
            token.attrs["scope"] = "row"
        elif first and token.type == "td_close":
            token.tag, first = "th", False
        elif token.type == "th_open":
            token.attrs["scope"] = "col"


def _render(tokens: list[Token], label: str = "Notes") -> Markup:
    return Markup(_parser().renderer.render(tokens, _parser().options, {"label": label}))


def plain_html(markdown: str) -> str:
    """Return Markdown as a notebook shows it."""
    return str(MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown))
