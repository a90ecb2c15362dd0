"""Seeded mutations of texts and of bytes."""

from __future__ import annotations

import random
import re

SCALARS = (
    *("", "~", "null", "true", "no", "0", "-1", "1", "2", "0.5", "1.5", "-0.0", "1e-400", "nan"),
    *(".inf", "1_000", "0x10", "007", "2020-01-01", "a", "'", '"', "é→λ", '"\\ud800"', '"\\0"'),
    *(
        "[]",
        "{}",
        "[1, 2]",
        "[[1]]",
        "{a: 1}",
        "{from: 1, to: 2, points: 3}",
        "[a, a]",
        "*x",
        "&x 1",
    ),
    *("!!int 3", "!!python/object:os.system {}", "? a", "|", ">", "- -", "%", "@", "`", "\t"),
    *(
        "balance",
        "adaboost",
        "quadboost",
        "default",
        "f1..f9",
        "f1..f999999999",
        "../x",
        "/dev/zero",
    ),
)
HUGE = (
    *("1e308", "-1.7e308", "1e999", "9" * 20, "9" * 400, "9" * 5000, "2147483648", "100000"),
    *("x" * 100_000, "[" * 3000, "[" * 3000 + "]" * 3000, "{from: 1, to: 100000, points: 100000}"),
    *("{from: 1e-300, to: 1e300, points: 10000}", str(list(range(5000)))),
    "&a [x, x, x, x, x, x, x, x, x, x], &b [*a, *a, *a, *a, *a], &c [*b, *b, *b, *b, *b, *b]",
)

_NUMBER = re.compile(r"(?<![\w.])-?[0-9.]+(?:e-?[0-9]+)?(?![\w.])")
_TOKEN = re.compile(r"[\w.+-]+")


def mutated(text: str, rng: random.Random, *, huge: bool) -> str:
    """Return a text with one to three random changes.

    Parameters
    ----------
    text : str
        YAML or rows of data.
    rng : random.Random
    huge : bool
        Whether numbers and structures may be so large that a valid file asks for hours.
    """
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        text = rng.choice(_CHANGES)(text, rng, SCALARS + HUGE if huge else SCALARS)
    return text


def mangled(content: bytes, rng: random.Random) -> bytes:
    """Return bytes of which some were changed, left out, repeated or cut off."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        if not content:
            return content
        i = rng.randrange(len(content))
        j = min(len(content), i + rng.choice((1, 4, 100)))
        new = rng.choice(
            (
                rng.randbytes(j - i),
                b"",
                content[i:j] * rng.choice((2, 100)),
                b"\0" * (j - i),
                b"\xff" * (j - i),
            )
        )
        content = content[:i] if rng.random() < 0.1 else content[:i] + new + content[j:]
    return content


def _other_scalar(text: str, rng: random.Random, scalars: tuple[str, ...]) -> str:
    tokens = [*_TOKEN.finditer(text)]
    if not tokens:
        return text
    token = rng.choice(tokens)
    return text[: token.start()] + rng.choice(scalars) + text[token.end() :]


def _other_number(text: str, rng: random.Random, scalars: tuple[str, ...]) -> str:
    numbers = [*_NUMBER.finditer(text)]
    if not numbers:
        return text
    number = rng.choice(numbers)
    new = rng.choice(("0", "1", "2", "3", "7", "-1", "0.1", "0.9", "1e-9", "1e-300", "50"))
    return text[: number.start()] + new + text[number.end() :]


def _swapped_scalars(text: str, rng: random.Random, scalars: tuple[str, ...]) -> str:
    tokens = [*_TOKEN.finditer(text)]
    if len(tokens) < 2:
        return text
    one, other = sorted(rng.sample(tokens, 2), key=lambda token: token.start())
    parts = (text[: one.start()], other[0], text[one.end() : other.start()], one[0])
    return "".join(parts) + text[other.end() :]


def _other_lines(text: str, rng: random.Random, scalars: tuple[str, ...]) -> str:
    lines = text.splitlines(keepends=True) or [""]
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    changes = (
        lines[:i] + lines[i + 1 :],
        [*lines[:i], lines[j], *lines[i:]],
        [*lines[:i], " " * rng.randrange(5) + lines[i].lstrip(), *lines[i + 1 :]],
        lines[:i],
    )
    return "".join(rng.choice(changes))


def _other_characters(text: str, rng: random.Random, scalars: tuple[str, ...]) -> str:
    i = rng.randrange(len(text) + 1)
    new = "".join(rng.choice("[]{}:,#&*!|>'\"%@`-? \t\n\r\x07é\u2028\ufeff0aE.") for _ in range(3))
    return text[:i] + new[: rng.randrange(4)] + text[i + rng.randrange(3) :]


_CHANGES = (
    *(_other_scalar, _other_number, _other_number),
    *(_swapped_scalars, _other_lines, _other_characters),
)
