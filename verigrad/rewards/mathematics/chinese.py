"""Chinese numerals as digits: 三 is 3, 十二 is 12, 三分之二 is 2/3, 百分之三十 is 30%, 负五 is -5.

Only where the whole run is a numeral and no word goes on with it (三角形, 一般, 万一 stay words). Left out: the
numerals of bookkeeping (壹贰叁), and everything that is no number.
"""

from __future__ import annotations

import re

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_SMALL = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "亿": 10**8}
_NUMERAL = "[零〇一二两三四五六七八九十百千万亿]{1,24}"
_MEASURES = "个名人本只元块米厘毫公里斤克度岁天年月日时分秒次支枝条张辆台间页份种件棵朵头匹双对组排行升吨角"
_FRACTION = re.compile(rf"(负)?(?:({_NUMERAL})又)?({_NUMERAL})分之({_NUMERAL})(?:点({_NUMERAL}))?")
_RUN = re.compile(
    rf"(?<![\u4e00-\u9fff])(负)?({_NUMERAL})(?:点({_NUMERAL}))?(?=[{_MEASURES}]|[^\u4e00-\u9fff]|$)"
    rf"|(?<=[为是得选于有])(负)?({_NUMERAL})(?:点({_NUMERAL}))?(?=[{_MEASURES}]|[^\u4e00-\u9fff]|$)"
)


def folded(text: str) -> str:
    r"""The text with its Chinese numerals as digits.

    >>> folded("三分之二"), folded("十二"), folded("百分之三十"), folded("三角形")
    ('\\frac{2}{3}', '12', '30%', '三角形')
    """
    if not re.search("[零〇一二两三四五六七八九十百千]", text):
        return text
    return _RUN.sub(_number, _FRACTION.sub(_fraction, text))


def value(numeral: str) -> int | None:
    """The whole number a numeral is; None for a run that is none (十十)."""
    if all(c in _DIGITS for c in numeral):
        return int("".join(str(_DIGITS[c]) for c in numeral))
    total = section = digit = 0
    last = 10**9
    for c in numeral:
        if c in _DIGITS:
            digit = _DIGITS[c]
        elif c in _SMALL:
            if _SMALL[c] >= last:
                return None
            last = _SMALL[c]
            section, digit = section + (digit or 1) * _SMALL[c], 0
        else:
            total, section, digit, last = (total + section + digit) * _LARGE[c], 0, 0, 10**9
    return total + section + digit


def _decimal(whole: str, part: str | None) -> str | None:
    number = value(whole)
    if number is None or (part and not all(c in _DIGITS for c in part)):
        return None
    return f"{number}" + ("." + "".join(str(_DIGITS[c]) for c in part) if part else "")


def _number(match: re.Match[str]) -> str:
    sign, whole, part = (match[1], match[2], match[3]) if match[2] else (match[4], match[5], match[6])
    said = _decimal(whole, part)
    return match[0] if said is None else ("-" if sign else "") + said


def _fraction(match: re.Match[str]) -> str:
    sign = "-" if match[1] else ""
    top = _decimal(match[4], match[5])
    if top is None:
        return match[0]
    if match[3] == "百" and not match[2]:
        return f"{sign}{top}%"
    bottom, whole = value(match[3]), value(match[2]) if match[2] else None
    if not bottom or (match[2] and whole is None):
        return match[0]
    return f"{sign}{'' if whole is None else whole}\\frac{{{top}}}{{{bottom}}}"
