"""A first config for a user's own file: complete, commented, and small enough for a laptop."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from quadrepro.base.yaml import to_yaml
from quadrepro.data.card import ANY_VIEW, Card
from quadrepro.data.notes import imbalance
from quadrepro.data.source import PART, FileSource

SCHEMA = ".quadrepro/config.json"
"""Path of the JSON schema that a draft names, relative to the draft."""


def draft_config(card: Card, file: str, place: str) -> str:
    """Return the text of a first config for the card of a file, which is written to `place`."""
    view = card.view(ANY_VIEW)
    sizes = view.class_sizes(card.target)
    # Both of two classes are needed in the training rows without a fold, and in the test rows.
    learnable = len(sizes) > 2 or min(sizes, default=0) > 2
    # scikit-learn needs a test row for every class, and a class with rows in all folds.
    several = 1 < sum(size > 1 for size in sizes) <= 3 * sum(sizes) // 10 and max(sizes) > 4
    note = next(iter(imbalance(card.target, view)), "")
    environment = Environment(
        loader=PackageLoader("quadrepro.config"),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("first_config.yaml.j2").render(
        card=card,
        exclude=to_yaml({"exclude": [*view.exclude]}).rstrip(),
        file=file if file.isprintable() else repr(file),
        is_split=any(isinstance(source, FileSource) and source.test for source in card.sources),
        n_classes=len(sizes),
        name=to_yaml({"name": card.name}).rstrip(),
        nominal={a.name for a in card.attributes if a.kind == "nominal"} - {*view.exclude},
        note=note,
        part=PART,
        place=place,
        schema=SCHEMA,
        stratify=several and learnable,
        title=to_yaml({"title": f"{card.title}: {card.target.original}"}).rstrip(),
        view=view,
        # All learners count every class alike, so that methods are compared and not their cut-offs.
        weighted=note and learnable,
    )
