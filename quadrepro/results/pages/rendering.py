"""Templates with the style and the script that every page carries."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from quadrepro.results.pages.claims import MARKS

GENERATOR = "quadrepro"
"""Says in a page who has written it."""


def render(template: str, **names: Any) -> str:
    """Return a page of a template.

    Parameters
    ----------
    template : str
        Its file.
    **names
        What it is given.
    """
    return _templates().get_template(template).render(names)


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("quadrepro.results.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    assert templates.loader is not None
    style, script = (templates.loader.get_source(templates, f"page.{e}")[0] for e in ("css", "js"))
    templates.globals |= {
        "generator": GENERATOR,
        "claim_marks": MARKS,
        "style": Markup(style),
        "script": Markup(script),
        # A page runs its own script alone, whatever the names in it are.
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }
    templates.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return templates
