"""Units, money, counts and signs that change a value, with their factors. Unknown words are compared as words.

Left out: temperature scales (their zero differs), compound units beyond "km/h" and powers of lengths.
"""

from __future__ import annotations

import functools
import re
from fractions import Fraction

from verigrad.rewards.mathematics.trees import Unit
from verigrad.rewards.spelling import words

_KINDS: dict[str, dict[str, tuple[str, str]]] = {
    "length": {
        "mm": ("1/1000", "millimeter millimetre 毫米"), "cm": ("1/100", "centimeter centimetre 厘米"),
        "dm": ("1/10", "decimeter decimetre 分米"), "m": ("1", "meter metre 米"),
        "km": ("1000", "kilometer kilometre 千米 公里"), "in": ("127/5000", "inch inches"),
        "ft": ("381/1250", "foot feet"), "yd": ("1143/1250", "yard"), "mi": ("201168/125", "mile"),
    },
    "mass": {
        "mg": ("1/1000000", "milligram"), "g": ("1/1000", "gram 克"), "kg": ("1", "kilogram kilo 千克 公斤"),
        "t": ("1000", "tonne 吨"), "oz": ("45359237/1600000000", "ounce"), "lb": ("45359237/100000000", "lbs pound"),
    },
    "time": {
        "ms": ("1/1000", "millisecond"), "s": ("1", "sec second 秒"), "min": ("60", "mins minute 分钟"),
        "h": ("3600", "hr hrs hour 小时"), "day": ("86400", "天"), "week": ("604800", "周"), "month": ("0", "月"),
        "year": ("0", "yr yrs 年 岁"),
    },
    "volume": {"ml": ("1/1000", "mL milliliter millilitre 毫升"), "l": ("1", "L liter litre 升"),
               "gal": ("0", "gallon"), "cup": ("0", "")},
    "money": {"dollar": ("1", "usd buck"), "cent": ("1/100", "penny pennies ¢"), "euro": ("0", "eur"),
              "pound sterling": ("0", "gbp"), "yen": ("0", "jpy"), "yuan": ("0", "rmb cny 元"), "rupee": ("0", "inr")},
    "angle": {"degree": ("1", "deg 度"), "arcminute": ("1/60", ""), "rad": ("0", "radian")},
    "temperature": {"celsius": ("0", ""), "fahrenheit": ("0", ""), "kelvin": ("0", "")},
    "percent": {"percent": ("1/100", "pct 百分号"), "permille": ("1/1000", "‰")},
    "count": {"dozen": ("12", "打"), "hundred": ("100", "百"), "k": ("1000", "thousand 千"),
              "million": ("1000000", "mn mio"), "billion": ("1000000000", "bn"), "trillion": ("1000000000000", ""),
              "万": ("10000", ""), "亿": ("100000000", ""), "score": ("20", ""), "pair": ("0", "双 对"),
              "lakh": ("100000", ""), "crore": ("10000000", "")},
    "power": {"w": ("1", "W watt"), "kw": ("1000", "kW kilowatt"), "hp": ("0", "")},
    "force": {"n": ("1", "N newton")}, "energy": {"j": ("1", "J joule"), "kj": ("1000", "kJ kilojoule"),
              "cal": ("0", "calorie"), "kcal": ("0", "kilocalorie")},
    "speed": {"mph": ("0", ""), "kph": ("0", "kmh")},
    "electric": {"v": ("0", "V volt"), "a": ("0", "A amp ampere"), "ohm": ("0", "Ω")},
    "information": {"bit": ("0", ""), "byte": ("0", "")},
    "frequency": {"hz": ("1", "Hz hertz"), "khz": ("1000", "kHz")},
}  # fmt: skip
_SIGNS = {"$": "dollar", "€": "euro", "£": "pound sterling", "¥": "yen", "₹": "rupee", "¢": "cent"}
_SINGLE_LETTERS = frozenset("m g s h l L t N J W V")
_IGNORED = words("the a an of in each every total approximately about exactly per")


def _table() -> dict[str, Unit]:
    out: dict[str, Unit] = {}
    for kind, named in _KINDS.items():
        for name, (factor, others) in named.items():
            # A factor of 0 says that nothing converts into it here: each is a kind of its own.
            own = Unit(name, kind if factor != "0" else f"{kind} {name}", Fraction(factor) or Fraction(1))
            for spelling in (name, *others.split()):
                out[spelling] = own
                if spelling.isascii() and len(spelling) > 2:
                    out[spelling + "s"] = own
    return out


UNITS = _table()


def known(word: str) -> bool:
    """The word is in the table (single letters aside)."""
    return len(word) > 1 and (word in UNITS or word.lower() in UNITS)


def single(letter: str) -> Unit | None:
    """The unit a single letter may be."""
    return UNITS.get(letter) or UNITS.get(letter.lower()) if letter in _SINGLE_LETTERS else None


def sign(mark: str) -> Unit | None:
    """The unit of a currency sign."""
    return UNITS[_SIGNS[mark]] if mark in _SIGNS else None


@functools.lru_cache(maxsize=4096)
def unit(words: str) -> Unit:
    """The unit that words behind a number state: "cm", "square meters", "m^2", "km/h", "apples"."""
    text = re.sub(r"\s+", " ", words.strip(" .,;:")).replace("^{2}", "^2").replace("^{3}", "^3")
    whole = UNITS.get(text) or UNITS.get(text.lower())
    if whole is not None:
        return whole
    if match := re.fullmatch(
        r"(?:(square|sq\.?|cubic|cu\.?|平方|立方) ?(\S+)|(\S+?) ?(?:\^ ?([23])|(squared|cubed)))", text.lower()
    ):
        power = 2 if (match[1] or match[5] or "").startswith(("sq", "平")) or match[4] == "2" else 3
        base = UNITS.get(match[2] or match[3])
        if base is not None and base.kind == "length":
            return Unit(f"{base.name}^{power}", f"length^{power}", base.factor**power)
    if match := re.fullmatch(r"([a-zA-Z]+) ?(?:/|per) ?([a-zA-Z]+)", text):
        top, bottom = (UNITS.get(p) or UNITS.get(p.lower()) for p in match.groups())
        if top is not None and bottom is not None and top.factor and bottom.factor:
            return Unit(f"{top.name}/{bottom.name}", f"{top.kind}/{bottom.kind}", top.factor / bottom.factor)
    temperature = re.fullmatch(r"(?:degrees?|deg) (celsius|fahrenheit|c|f)", text.lower())
    if temperature is not None:
        return UNITS["celsius" if temperature[1][0] == "c" else "fahrenheit"]
    kept = [w for w in text.casefold().split(" ") if w not in _IGNORED]
    if len(kept) == 1 and (one := UNITS.get(kept[0])) is not None:
        return one
    return Unit(" ".join(_singular(w) for w in kept))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
