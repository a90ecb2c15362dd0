"""Notes of a results folder, and the file that says what each number in them is."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.notes.expressions import NUMBER, RESULTS, WORDS, agrees, evaluate, read_yaml

HERE = Path(__file__).parent
CLASSES: dict[str, list[str]] = read_yaml(HERE / "classes.yaml")
"""Patterns of numbers that are no figures in any notes, by what they are."""

FIGURE = rf"({NUMBER.pattern}|\b(?i:{'|'.join(WORDS)})\b)"


@dataclass(frozen=True)
class Notes:
    """The notes of a results folder of some name."""

    name: str
    text: str
    figures: dict[str, list[Any]]
    """Phrases of the notes, with ``#`` for each figure, and the expressions that it must equal."""
    stated: dict[str, list[str]]
    """Reasons why numbers do not follow from committed results, with the phrases they are for."""
    results: Path = RESULTS

    @classmethod
    def read(cls, name: str) -> Notes:
        """Read the notes of a folder and the file about them; without one there are no numbers."""
        path = HERE / f"{name}.yaml"
        about = read_yaml(path) if path.is_file() else {}
        text = (RESULTS / name / "notes.md").read_text(encoding="utf-8")
        return cls(name, text, about.get("figures") or {}, about.get("stated") or {})

    @cached_property
    def _flat(self) -> str:
        """The text in one line, without the addresses of links, which hold numbers."""
        return " ".join(re.sub(r"\]\([^)]*\)", "]", self.text).split())

    def faults(self) -> Iterator[str]:
        """Yield what is wrong: figures that do not hold, phrases not found, numbers left over."""
        covered: set[int] = set()
        for phrase, expressions in self.figures.items():
            found = [*re.finditer(_pattern(phrase), self._flat)]
            if len(found) != 1:
                yield f"{self.name}: {phrase!r} occurs {len(found)} times"
                continue
            covered.update(found[0].start(group + 1) for group in range(phrase.count("#")))
            yield from self._deviations(phrase, found[0].groups(), expressions)
        for phrase in itertools.chain(*self.stated.values()):
            places = self._places(re.escape(phrase))
            covered |= places
            if not places:
                yield f"{self.name}: {phrase!r} is stated and does not occur"
        for pattern in itertools.chain(*CLASSES.values()):
            covered |= self._places(pattern)
        for number in NUMBER.finditer(self._flat):
            if number.start() not in covered:
                around = self._flat[max(number.start() - 40, 0) : number.end() + 30]
                yield f"{self.name}: {number.group()} is neither checked nor stated: …{around}…"

    def _places(self, pattern: str) -> set[int]:
        """Return the places of all characters that a pattern matches."""
        found = re.finditer(pattern, self._flat)
        return {place for each in found for place in range(*each.span())}

    def _deviations(
        self, phrase: str, numbers: tuple[str, ...], expressions: list[Any]
    ) -> Iterator[str]:
        """Yield one line if a number of a phrase is not what its expression gives."""
        if len(numbers) != len(expressions):
            yield f"{self.name}: {phrase!r} has {len(numbers)} figures, {len(expressions)} given"
            return
        try:
            values = [evaluate(each, self.results / self.name) for each in expressions]
        except (KeyError, ValueError, OSError, IndexError, TypeError) as error:
            yield f"{self.name}: {phrase!r}: {type(error).__name__}: {error}"
            return
        if not all(map(agrees, numbers, values)):
            computed = ", ".join(f"{value:.5g}" for value in values)
            yield f"{self.name}: {phrase!r} says {', '.join(numbers)}; the results give {computed}"


def _pattern(phrase: str) -> str:
    """Return the pattern of a phrase, whose figures are its groups."""
    return FIGURE.join(re.escape(part) for part in " ".join(phrase.split()).split("#"))
