"""Grading's own reading of the language of a text: scripts by the characters' Unicode names, languages by windows.

Words are counted by the script of their first letter; ideographs, kana and Thai letters count as parts of a word. Where
several languages share a script, each window of twelve words is given to the language most of whose commonest words
stand in it, if it leads by two. Left out: everything but the share of words that are not the asked language's.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache

_WINDOW = 12
_LEAD = 2
_MOST = 60_000
_LATIN: Mapping[str, str] = {
    "en": "the and is to of we it that you are this then so have with for be not what as on i in let can",
    "de": "der die das und ist wir nicht zu den dann mit ein eine es so auch auf für dass als von sind also noch wie",
    "fr": "le la les et est nous que de des un une pas pour dans ce il elle donc sur qui en du on puis avec sont",
    "es": "el la los las y es que de un una en por no con para se lo del pero como más su al entonces luego",
    "it": "il lo la e è che di un una non per con si del della sono come ma più anche gli poi quindi i le nel",
    "pt": "o a os as e é que de um uma não para com do da em por se mais como mas no na então depois está",
    "nl": "de het een en is dat we niet van te op met voor zijn dan er om als ook maar dus deze wordt in of",
    "pl": "i w z na nie się do to że jest jak ale co tak za od czy tylko już więc potem oraz który przez dla",
    "tr": "bir ve bu da de için ile çok daha gibi ne olarak sonra kadar ama var değil mi ki önce her ise doğru o iki",
    "vi": "và của là có cho không được với các một những trong này đó để khi đã từ như vào ta số hai sau kết",
}
_CYRILLIC: Mapping[str, str] = {
    "ru": "и в не на я что он с как это по но они мы все так его за был от же бы из у для",
    "uk": "і в не на я що він з як це по але вони ми все так його за був від же би із у та",
}
_ARABIC: Mapping[str, str] = {
    "ar": "في من على إلى أن هو هي ما لا هذا هذه التي الذي عن مع كان ثم أو إذا قد",
    "fa": "و در به از که این را با است برای آن یک می ها تا بر هم شود اگر بعد",
}
_SCRIPT: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_LATIN, ("LATIN",)),
    **dict.fromkeys(_CYRILLIC, ("CYRILLIC",)),
    **dict.fromkeys(_ARABIC, ("ARABIC",)),
    **{"he": ("HEBREW",), "hi": ("DEVANAGARI",), "th": ("THAI",), "el": ("GREEK",), "ko": ("HANGUL",)},
    **{"zh": ("CJK",), "ja": ("CJK", "HIRAGANA", "KATAKANA")},
}
_PIECES = {"CJK": 0.5, "HIRAGANA": 0.5, "KATAKANA": 0.5, "THAI": 0.25}
_EXAMPLE: Mapping[str, str] = {
    "en": "First we look at what is given and then we work it out.",
    "de": "Wir sehen uns an, was gegeben ist, und rechnen es dann aus.",
    "fr": "Nous regardons ce qui est donné et puis nous le calculons.",
    "es": "Miramos lo que se da y luego lo calculamos con cuidado.",
    "it": "Guardiamo che cosa è dato e poi lo calcoliamo con cura.",
    "pt": "Olhamos para o que é dado e depois fazemos a conta.",
    "nl": "We kijken wat er gegeven is en rekenen het dan uit.",
    "pl": "Patrzymy na to, co jest dane, i potem to liczymy.",
    "tr": "Önce verilene bakarız ve sonra bu sayıyı hesaplarız.",
    "vi": "Ta xem đề cho gì và sau đó tính kết quả.",
    "ru": "Мы смотрим, что дано, и потом это считаем.",
    "uk": "Ми дивимося, що дано, і потім це рахуємо.",
    "ar": "ننظر في ما هو معطى ثم نحسب ذلك.",
    "fa": "به آن که داده شده است نگاه می کنیم و بعد حساب می کنیم.",
    "he": "נסתכל על מה שנתון ואז נחשב.",
    "hi": "पहले देखते हैं कि क्या दिया है और फिर गणना करते हैं।",
    "th": "เราดูสิ่งที่ให้มาแล้วคำนวณ",
    "el": "Κοιτάμε τι δίνεται και μετά το υπολογίζουμε.",
    "ko": "주어진 것을 보고 그다음 계산합니다.",
    "zh": "我们先看题目给了什么,再一步一步计算。",
    "ja": "まず何が与えられているかを見て、それから計算します。",
}
_ALIAS = {"english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "portuguese": "pt"} | {
    "dutch": "nl", "polish": "pl", "turkish": "tr", "vietnamese": "vi", "russian": "ru", "ukrainian": "uk",
    "arabic": "ar", "persian": "fa", "farsi": "fa", "hebrew": "he", "hindi": "hi", "thai": "th", "greek": "el",
    "korean": "ko", "chinese": "zh", "japanese": "ja", "cn": "zh", "mandarin": "zh", "jp": "ja",
}  # fmt: skip


def short_name(lang: str) -> str | None:
    """Two letters for "en", "en_US" or "English"; None for a language that is not known here."""
    low = lang.strip().lower()
    low = _ALIAS.get(low, low.replace("_", "-").partition("-")[0])
    low = _ALIAS.get(low, low)
    return low if low in _SCRIPT else None


def example(lang: str) -> str:
    """A sentence in the language."""
    return _EXAMPLE[lang]


def foreign_share(text: str, lang: str) -> float | None:
    """The share of the words that are not in `lang`, in [0, 1]; None where there is no word."""
    words = _words(text[-_MOST:])
    whole = sum(weight for _, _, weight in words)
    if not whole:
        return None
    foreign = sum(weight for _, script, weight in words if script not in _SCRIPT[lang])
    if lang == "ja" and all(script == "CJK" for _, script, _ in words if script in _SCRIPT["ja"]) and whole > 4:
        return 1.0
    family = next((f for f in (_LATIN, _CYRILLIC, _ARABIC) if lang in f), None)
    if family is not None:
        own = [word for word, script, _ in words if script in _SCRIPT[lang]]
        foreign += sum(len(w) for w in _windows(own) if _belongs_elsewhere(w, lang, family))
    return foreign / whole


def _windows(words: list[str]) -> list[list[str]]:
    return [words[i : i + _WINDOW] for i in range(0, len(words), _WINDOW)]


def _belongs_elsewhere(window: list[str], lang: str, family: Mapping[str, str]) -> bool:
    hits = {name: sum(word in known.split() for word in window) for name, known in family.items()}
    best = max(hits.values())
    return best >= _LEAD and best > hits[lang] + (1 if hits[lang] else 0)


def _words(text: str) -> list[tuple[str, str, float]]:
    """(word, script, weight) of each word; formulas between dollars, code between backticks, commands left aside."""
    out: list[tuple[str, str, float]] = []
    outside = [part for i, part in enumerate(text.replace("`", "$").split("$")) if i % 2 == 0]
    for piece in " ".join(outside).split():
        if piece.startswith("\\"):
            continue
        word, at = "", ""
        for char in [*unicodedata.normalize("NFKC", piece), " "]:
            script = _script(char)
            if script == at and script:
                word += char
                continue
            if word and (at in _PIECES or 1 < len(word) <= 40):
                out.append((word.lower(), at, _PIECES.get(at, 0.0) * len(word) or 1.0))
            word, at = (char, script) if script else ("", "")
    return out


@lru_cache(maxsize=20_000)
def _script(char: str) -> str:
    """The first word of a letter's Unicode name, marks counted with the letter before; empty for no letter."""
    if char == "々":
        return "CJK"
    if unicodedata.category(char)[0] not in "LM":
        return ""
    return unicodedata.name(char, "OTHER").split()[0].split("-")[0]
