"""One spelling for what is written in several: digit widths, minus signs, spaces, LaTeX dressing, currency signs.

Left out: what the text says (tokens, literals). Unicode's own NFKC is not used: it reads
10³ as 103 and 2½ as 21/2.
"""

from __future__ import annotations

import re

_SPACES = str.maketrans(dict.fromkeys("\t\u00a0\u2002\u2003\u2007\u3000\u2028\u2029", " "))
_MARKS = str.maketrans(
    {
        "−": "-",
        "–": "-",
        "‐": "-",
        "‑": "-",
        "‒": "-",
        "﹣": "-",
        "⁄": "/",
        "∕": "/",
        "×": "*",
        "·": "*",
        "⋅": "*",
        "∗": "*",
    }
    | {"，": ",", "。": ".", "：": ":", "；": ";", "、": ",", "—": ";", "’": "'"}
    | {chr(0xFF01 + i): chr(0x21 + i) for i in range(94)}
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", "")
)
_VULGAR = {"⅐": "1/7", "⅑": "1/9", "⅒": "1/10", "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4"} | {
    chr(0x2155 + i): text
    for i, text in enumerate(("1/5", "2/5", "3/5", "4/5", "1/6", "5/6", "1/8", "3/8", "5/8", "7/8"))
}
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def words(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


def normalise(text: str) -> str:
    """One spelling for what is written in several: widths, minus signs, spaces, LaTeX dressing, currency signs."""
    text = re.sub(r"(?<=[0-9])(?:[\u2009\u202f]|\\[,!;:]|\{,\})(?=[0-9]{3}(?![0-9]))", ",", text)
    text = text.translate(_SPACES).replace("\u2009", " ").replace("\u202f", " ")
    text = re.sub("[" + "".join(_VULGAR) + "]", lambda m: " " + _VULGAR[m[0]] + " ", text)
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+", lambda m: "^{" + m[0].translate(_RAISED) + "}", text)
    text = re.sub("[₀-₉]+", lambda m: "_" + m[0].translate(_LOWERED), text)
    text = text.translate(_MARKS)
    text = re.sub(r"<<[^<>\n]{0,200}>>", "", text)
    text = re.sub(r"\\(?:[dtc]frac)(?![A-Za-z])", r"\\frac", text)
    text = re.sub(r"\\(?:left|right|displaystyle|boxed|fbox)(?![A-Za-z])", "", text)
    for _ in range(3):
        text = re.sub(r"\\(?:text|textbf|mathrm|mathbf|mbox|textit|emph) ?\{([^{}]*)\}", r" \1 ", text)
    text = re.sub(r"\^ ?(?:\\circ(?![A-Za-z])|\{ ?\\circ ?\})", "°", text)
    text = re.sub(r"\\(?:times|cdot|ast)(?![A-Za-z])", " * ", text)
    text = re.sub(r"\\div(?![A-Za-z])", " ÷ ", text)
    text = re.sub(r"\\approx(?![A-Za-z])", " ≈ ", text)
    text = re.sub(r"\\(?:quad|qquad)(?![A-Za-z])|\\[,;:! ()\[\]]|~", " ", text)
    text = text.replace("\\%", "%").replace("\\$", "$")
    text = re.sub(r"(?<=[0-9)]) ?\*\* ?(?=[0-9(])", "^", text)
    text = re.sub(r"([-+]) ?[$€£¥₹]+ ?(?=[0-9.])", r"\1", text)
    text = re.sub(r"[$€£¥₹`]|\*{2,3}", " ", text)
    return re.sub(r"\s+", " ", text).strip()
