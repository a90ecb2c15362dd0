"""Text for LaTeX: every character as something that any engine and font encoding sets.

Mathematical signs and Greek letters go through math fonts, accents through their commands, so that
neither ``pdflatex`` nor ``lualatex`` needs a package or a font for them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache


def _pairs(text: str) -> dict[str, str]:
    """Return the words of a text, every second of which belongs to the one before it."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_TEXT = {
    "&": r"\&",
    "%": r"\%",
    "_": r"\_",
    "#": r"\#",
    "$": r"\$",
    "{": r"\{",
    "}": r"\}",
    # In brackets, for either would be an argument of the line break before it.
    "[": "{[}",
    "*": r"$\ast$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "`": r"\textasciigrave{}",
    '"': "''",
    "–": "--",
    "—": "---",
    "‐": "-",
    "‑": "-",
    "‘": "{`}",
    "’": "'",
    "“": "{``}",
    "”": "''",
    "„": ",,",
    "⁄": "/",
    "…": r"\ldots{}",
    "\u00a0": "~",
    "\u2009": r"\,",
    "\u202f": r"\,",
    "\u00ad": r"\-",
    "\u200b": "",
    "\ufeff": "",
    **_pairs(r"""
        § \S{}  ¶ \P{}  © \copyright{}  £ \pounds{}  € \texteuro{}  ß \ss{}  æ \ae{}  Æ \AE{}
        œ \oe{}  Œ \OE{}  ø \o{}  Ø \O{}  ł \l{}  Ł \L{}  å \aa{}  Å \AA{}  ı \i{}
    """),
    **{char: rf"\c{{{base}}}" for char, base in zip("çÇşŞţŢ", "cCsStT", strict=True)},
}


_MATHS = {
    **_pairs(r"""
        < <  > >  | |  − -  ± \pm  ∓ \mp  × \times  ÷ \div  · \cdot  ⋅ \cdot  ° ^\circ  ∘ \circ
        • \bullet  √ \surd  ∞ \infty  ∑ \sum  ∏ \prod  ∫ \int  ∂ \partial  ∇ \nabla  ∈ \in
        ∉ \notin  ∅ \emptyset  ⊂ \subset  ⊆ \subseteq  ∪ \cup  ∩ \cap  ∀ \forall  ∃ \exists
        ¬ \neg  ∧ \wedge  ∨ \vee  ≤ \leq  ≥ \geq  ≪ \ll  ≫ \gg  « \ll  » \gg  ≠ \neq  ≈ \approx
        ≡ \equiv  ∼ \sim  ∝ \propto  → \rightarrow  ← \leftarrow  ↔ \leftrightarrow  ↑ \uparrow
        ↓ \downarrow  ↦ \mapsto  ⇒ \Rightarrow  ⇔ \Leftrightarrow  ‖ \|  ∥ \|  ⟨ \langle
        ⟩ \rangle  ⌊ \lfloor  ⌋ \rfloor  ⌈ \lceil  ⌉ \rceil  ′ \prime  ℓ \ell  † \dagger
        ‡ \ddagger  ◆ \diamond  ◇ \diamond  ★ \star  ✓ \surd  ✗ \times  µ \mu  ε \varepsilon
        ϵ \epsilon  φ \varphi  ϕ \phi  ϑ \vartheta  ς \varsigma
    """),
    **{
        letter: rf"\{name}"
        for letters, names in (
            ("αβγδζηθικλμνξ", "alpha beta gamma delta zeta eta theta iota kappa lambda mu nu xi"),
            ("πρστυχψω", "pi rho sigma tau upsilon chi psi omega"),
            ("ΓΔΘΛΞΠΣΥΦΨΩ", "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"),
        )
        for letter, name in zip(letters, names.split(), strict=True)
    },
    # Those that look like Latin letters have no command.
    **dict(zip("οΑΒΕΖΗΙΚΜΝΟΡΤΧ", "oABEZHIKMNOPTX", strict=True)),
}

_ACCENTS = {
    "\u0300": r"\`",
    "\u0301": r"\'",
    "\u0302": r"\^",
    "\u0303": r"\~",
    "\u0304": r"\=",
    "\u0306": r"\u",
    "\u0307": r"\.",
    "\u0308": r"\"",
    "\u030b": r"\H",
    "\u030c": r"\v",
    "\u0323": r"\d",
}

_MINUS = re.compile(r"(?<![\w.)\]-])-(?=\.?\d|∞)")
"""A hyphen that is a sign."""

_LIGATURE = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)")
"""Between two characters that fonts would make one of."""


def escaped(text: str) -> str:
    r"""Return text for LaTeX.

    Examples
    --------
    >>> print(escaped("p ≤ 5 %"), escaped("-1"), escaped("χ²"), escaped("漢"))
    p $\leq$ 5 \% $-$1 $\chi$\textsuperscript{2} {[}U+6F22]
    """
    text = _MINUS.sub("−", unicodedata.normalize("NFC", text))
    return "{}".join("".join(map(_character, part)) for part in _LIGATURE.split(text))


@cache
def _character(char: str) -> str:
    if char in _TEXT:
        return _TEXT[char]
    if char in _MATHS:
        return f"${_MATHS[char]}$"
    if " " <= char <= "~":
        return char
    if char.isspace() or unicodedata.category(char) == "Cc":
        return " "
    tag, _, parts = unicodedata.decomposition(char).rpartition("> ")
    plain = "".join(chr(int(code, 16)) for code in parts.split())
    if not tag and len(plain) == 2 and plain[0].isascii() and plain[1] in _ACCENTS:
        return f"{_ACCENTS[plain[1]]}{{{plain[0]}}}"
    if tag in ("<super", "<sub"):
        inside = "".join(map(_character, plain))
        return (
            rf"\textsuperscript{{{inside}}}" if tag == "<super" else rf"\textsubscript{{{inside}}}"
        )
    if tag:
        return "".join(map(_character, plain))
    return f"{{[}}U+{ord(char):04X}]"
