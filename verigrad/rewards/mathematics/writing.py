r"""One spelling for mathematics written in several: Unicode signs as LaTeX, LaTeX's synonyms and dressing as one form.

NFKC is applied only where it cannot change a value: full-width forms and mathematical letters and digits. It would read
10³ as 103 and 2½ as 21/2. Left out: what the text says (lexing, statements).
"""

from __future__ import annotations

import re
import unicodedata

from verigrad.rewards.mathematics import chinese
from verigrad.rewards.spelling import words

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "θ": "theta", "λ": "lambda", "μ": "mu",
    "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "ω": "omega", "Δ": "Delta", "Ω": "Omega", "ξ": "xi", "η": "eta",
}  # fmt: skip
_SIGNS = {
    "π": "pi", "∞": "infty", "±": "pm", "∓": "mp", "≤": "le", "⩽": "le", "≦": "le", "≥": "ge", "⩾": "ge", "≧": "ge",
    "≠": "ne", "≈": "approx", "≃": "approx", "≅": "cong", "≡": "equiv", "∪": "cup", "∩": "cap", "∈": "in",
    "∅": "emptyset", "∖": "setminus", "…": "ldots", "⋯": "ldots", "∠": "angle", "△": "triangle", "√": "sqrt",
    "⟨": "langle", "⟩": "rangle", "〈": "langle", "〉": "rangle", "⌊": "lfloor", "⌋": "rfloor", "⌈": "lceil",
    "⌉": "rceil", "ℝ": "R", "ℤ": "Z", "ℕ": "N", "ℚ": "Q", "ℂ": "C", "∨": "lor", "∧": "land", "∣": "mid", "⊥": "perp",
}  # fmt: skip
_PLAIN = {
    "−": "-", "–": "-", "‐": "-", "‑": "-", "‒": "-", "﹣": "-", "—": " - ", "⁄": "/", "∕": "/", "÷": "/", "×": "*",
    "·": "*", "⋅": "*", "∗": "*", "•": "*", "，": ",", "。": ".", "：": ":", "；": ";", "、": ",", "’": "'", "′": "'",
    "‘": "'", "“": '"', "”": '"', "∛": "\\sqrt[3]", "∜": "\\sqrt[4]", "₋": "_-", "‰": "\\permille ",
    "【": "(", "】": ")",
}  # fmt: skip
_VULGAR = {c: unicodedata.normalize("NFKC", c).split("⁄") for c in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅐⅑⅒"}
_TABLE = str.maketrans(
    _PLAIN
    | {c: f"\\{name} " for c, name in (_SIGNS | _GREEK).items()}
    | {c: f"\\frac{{{top}}}{{{bottom}}}" for c, (top, bottom) in _VULGAR.items()}
    | dict.fromkeys("°º˚", "^\\circ ")
    | {chr(0xFF01 + i): chr(0x21 + i) for i in range(94)}
    | dict.fromkeys("\t\n\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u200a\u3000\u2028\u2029", " ")
    | dict.fromkeys("\u200b\u200c\u200d\u2060\u2061\u2062\u2063\ufeff\u00ad\u200e\u200f", "")
)
_OWN = {1: " ", 2: " "}
"""The two control characters that stand for the braces of a text here."""
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿˣ", "0123456789-+nx")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₙ", "0123456789n")
_IN_GROUPS = re.compile(
    r"[^0-9]{0,3}[1-9][0-9]{0,2}(?: [0-9]{3}){1,9}(?:\.[0-9]+)?"
    r"(?: ?(?:[A-Za-z]{2,20}|%|\\text\{[^{}]*\}))?[^0-9]{0,3}"
)
"""A number in groups of three with spaces, and nothing else but its unit."""
_SPACED_GROUP = re.compile(r"(?<=[0-9]) (?=[0-9]{3}(?![0-9]))")
_PER_CENT = re.compile(r"\bper ?cent\b", re.IGNORECASE)
_ROOT = re.compile("√ ?([0-9]+(?:\\.[0-9]+)?)")
_STYLED = re.compile("[\U0001d400-\U0001d7ff\u210e]")
_GROUP = re.compile(r"(?<=[0-9])(?:[\u2009\u202f']|\\[,;:! ]|\{,\}|,\\! ?)(?=[0-9]{3}(?![0-9]))")

_SYNONYMS = {
    "dfrac": "frac", "tfrac": "frac", "cfrac": "frac", "dbinom": "binom", "tbinom": "binom", "leq": "le",
    "leqslant": "le", "leqq": "le", "geq": "ge", "geqslant": "ge", "geqq": "ge", "neq": "ne", "lt": "<", "gt": ">",
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "dots": "ldots", "cdots": "ldots", "lvert": "|", "rvert": "|",
    "vert": "|", "mid": "|", "lbrace": "\\{", "rbrace": "\\}", "lbrack": "[", "rbrack": "]", "lparen": "(",
    "rparen": ")", "varnothing": "emptyset", "empty": "emptyset", "backslash": "setminus", "degree": "^\\circ ",
    "degrees": "^\\circ ", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "tg": "tan", "ctg": "cot",
    "cotg": "cot", "lg": "lg", "bar": "overline", "vee": "lor", "wedge": "land", "colon": ":", "simeq": "approx",
    "varphi": "phi", "vartheta": "theta", "varepsilon": "epsilon", "Re": "R", "mathbbR": "R", "reals": "R",
    "implies": "Rightarrow", "Longrightarrow": "Rightarrow", "to": "rightarrow", "measuredangle": "angle",
    "bigcup": "cup", "bigcap": "cap", "smallsetminus": "setminus", "percent": "%", "lbrack ": "[",
}  # fmt: skip
_DROPPED = words(
    "left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr displaystyle textstyle scriptstyle limits"
    " nolimits rm bf it sf tt mathstrut strut hfill noindent centering boxed fbox phantom unicode nobreak allowbreak"
    " large Large LARGE huge Huge small normalsize"
)
_SPACED = words("quad qquad thinspace enspace space medspace thickspace")
_COMMAND = re.compile(r"\\([A-Za-z]+)(\*?)")
_FONT = re.compile(
    r"\\(text(?:bf|rm|it|sf|tt|normal)?|math(?:rm|bf|it|sf|tt|cal|bb|frak|scr)|mbox|hbox|operatorname|bm|boldsymbol|emph"
    r"|underline)\*? ?\{([^{}]*)\}"
)
_FONT_ONE = re.compile(r"\\(math(?:rm|bf|it|sf|bb)|text) ?([A-Za-z0-9])(?![A-Za-z])")
_NUMBER_SETS = frozenset("RZNQC")
_FUNCTIONS = words(
    "sin cos tan cot sec csc asin acos atan arcsin arccos arctan ln log lg exp sqrt sinh cosh tanh gcd lcm max min mod"
)
_KEPT_TEXT = re.compile(r"[-+]?[0-9][0-9.,/%]*")


def spell(text: str) -> str:
    r"""The text in one spelling. Length is the caller's to bound.

    >>> spell("½ × π"), spell(r"\dfrac{1}{2}\cdot\pi")
    ('\\frac{1}{2} * \\pi ', '\\frac{1}{2}*\\pi')
    """
    text = _GROUP.sub(",", text.translate(_OWN))
    if _IN_GROUPS.fullmatch(text):
        text = _SPACED_GROUP.sub("", text)
    if "cent" in text:
        text = _PER_CENT.sub("%", text)
    if not text.isascii():
        text = _folded(text)
    if "\\" in text or "~" in text or "{" in text:
        text = _latex(text)
    if "**" in text:
        text = re.sub(r"(?<=[0-9A-Za-z)}]) ?\*\* ?(?=[0-9A-Za-z({-])", "^", text).replace("**", "")
    return text.replace("\t", " ").replace("\n", " ")


def _folded(text: str) -> str:
    text = text.translate({0x2009: " ", 0x202F: " "})
    text = _STYLED.sub(lambda m: unicodedata.normalize("NFKC", m[0]), text)
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿˣ]+", lambda m: "^{" + m[0].translate(_RAISED) + "}", text)
    text = re.sub("[₀-₉ₙ]+", lambda m: "_{" + m[0].translate(_LOWERED) + "}", text)
    text = _ROOT.sub(r"\\sqrt{\1}", text).translate(_TABLE)
    return chinese.folded(text)


def _latex(text: str) -> str:
    text = text.replace("\\%", "%").replace("\\$", "$").replace("~", " ")
    text = re.sub(r"\^ ?\{ ?\\circ ?\}", r"^\\circ ", text)
    text = re.sub(r"\\(?:[hv]space|phantom|hphantom|vphantom|label|tag|color)\*? ?\{[^{}]*\}", " ", text)
    for _ in range(3):
        if "{" not in text:
            break
        text = _FONT.sub(_font, text)
    text = _FONT_ONE.sub(lambda m: f"\\{m[2]} " if m[1] == "mathbb" and m[2] in _NUMBER_SETS else m[2], text)
    text = _COMMAND.sub(_command, text)
    return re.sub(r"(?<!\\)\\[,;:> ]", " ", text.replace("\\!", ""))


def _font(match: re.Match[str]) -> str:
    name, inner = match[1], match[2]
    bare = inner.strip()
    if name == "mathbb" and bare in _NUMBER_SETS:
        return f"\\{bare} "
    if name == "operatorname" or (name == "mathrm" and bare in _FUNCTIONS):
        return f"\\{bare} " if bare.isalpha() else bare
    if _KEPT_TEXT.fullmatch(bare) or name in ("mathcal", "mathfrak", "mathscr", "underline"):
        return inner
    if name.startswith(("math", "b")) and (len(bare) < 2 or re.search(r"[\\^_=+*/<>0-9-]", bare)):
        return inner
    return "\x01" + inner + "\x02"


def _command(match: re.Match[str]) -> str:
    name = match[1]
    if name in _DROPPED:
        return "" if name in ("left", "right", "boxed", "fbox") else " "
    if name in _SPACED:
        return " "
    other = _SYNONYMS.get(name)
    if other is None:
        return match[0]
    return f"\\{other}" if other.isalpha() else other
