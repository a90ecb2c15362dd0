from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.tables.symbols import escaped


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("letter_ab & 5 % of #1 for $2", r"letter\_ab \& 5 \% of \#1 for \$2"),
        (r"a\b{c}~^", r"a\textbackslash{}b\{c\}\textasciitilde{}\textasciicircum{}"),
        ("L∞ ≤ ε, λ → Π", r"L$\infty$ $\leq$ $\varepsilon$, $\lambda$ $\rightarrow$ $\Pi$"),
        ("0.1 ± 0.2 < |x|", r"0.1 $\pm$ 0.2 $<$ $|$x$|$"),
        ("‖x‖², x₀, ½", r"$\|$x$\|$\textsuperscript{2}, x\textsubscript{0}, 1/2"),
        ("Rätsch, Čech", r"R\"{a}tsch, \v{C}ech"),
        ("a\u0308", r"\"{a}"),
        ("– — ’ “x”", "-- --- ' {``}x''"),
        ("-0.5 and 3-4, e-05, (-1)", "$-$0.5 and 3-4, e-05, ($-$1)"),
        ("--jobs, a,,b, ''", "-{}-jobs, a,{},b, '{}'"),
        ("[0, 1]*", r"{[}0, 1]$\ast$"),
        ("line\nbreak", "line break"),
        ("漢", "{[}U+6F22]"),
    ],
)
def test_characters_are_set_as_text_or_maths(text: str, latex: str) -> None:
    assert escaped(text) == latex


@given(st.text())
def test_any_text_becomes_printable_ascii_with_balanced_braces_and_maths(text: str) -> None:
    latex = escaped(text)
    assert re.fullmatch(r"[ -~]*", latex)
    plain = re.sub(r"\\[^A-Za-z]", "", latex)
    assert plain.count("{") == plain.count("}")
    assert plain.count("$") % 2 == 0
    assert not re.search("[%&#]", plain)


def test_letters_that_look_alike_and_all_of_the_greek_alphabet_are_known() -> None:
    greek = [chr(code) for code in (*range(0x391, 0x3AA), *range(0x3B1, 0x3CA)) if code != 0x3A2]
    assert all(unicodedata.name(char).startswith("GREEK") for char in greek)
    assert not any("U+" in escaped(char) for char in greek)
    assert escaped("Αα") == r"$A$$\alpha$"
