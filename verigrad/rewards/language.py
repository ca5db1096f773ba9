"""Which language a text is in: the share of its words that are the asked language's, by script and by function words.

Formulas, code, single letters and numbers belong to no language and are not counted. Words count by their script first:
English with a Chinese clause in it is not English. Languages that share a script are told apart sentence by sentence by
their function words, so that German after English is seen; a sentence without any counts for the asked language. An
ideograph or a kana counts half a word. Small lists and not a model: a dialect or a language that is not in LANGUAGES is
not told apart from its neighbours. Left out: what the share is worth (verifiers.format, shaping).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

MAX_CHARS = 100_000
"""Characters that are looked at, from the end of a longer text."""


@dataclass(frozen=True, kw_only=True)
class Language:
    """One language that can be asked for."""

    scripts: frozenset[str]
    """Scripts it is written in."""
    words: frozenset[str]
    """Function words, where another language here has the same script."""
    sample: str
    """A sentence in it."""


def _language(scripts: str, sample: str, words: str = "") -> Language:
    return Language(scripts=frozenset(scripts.split()), words=frozenset(words.split()), sample=sample)


LANGUAGES: Mapping[str, Language] = {
    "en": _language(
        "latin",
        "We add the two numbers and then check that the result is what they asked for.",
        "the of and to in is that it for was on are as with his they be at this have from or had by but what were we "
        "there can which their if will each about then them so would these has more could no than been who its now my "
        "let us i you not your when where because must should first",
    ),
    "de": _language(
        "latin",
        "Wir addieren die beiden Zahlen und prüfen dann, ob das Ergebnis richtig ist.",
        "der die das und ist nicht ein eine einen einem einer den dem des zu mit sich auf für von wir ich es auch als "
        "an werden aus er hat dass sie nach wird bei um am sind noch wie über so zum war haben nur oder aber vor zur "
        "bis mehr durch man dann sein also wenn muss zuerst jetzt ob",
    ),
    "fr": _language(
        "latin",
        "Nous ajoutons les deux nombres et nous vérifions que le résultat est juste.",
        "le la les de des du un une et est en que qui dans pour pas sur au aux avec ce cette il elle nous vous ils son "
        "sa ses ne plus par je se ou mais donc si sont été être comme tout on cela ainsi alors car leur deux puis",
    ),
    "es": _language(
        "latin",
        "Sumamos los dos números y luego comprobamos que el resultado es correcto.",
        "el la los las de del que y en un una es por con para no se su al lo como más pero sus le ya o este sí porque "
        "esta son entre cuando muy sin sobre también me hasta hay donde está entonces luego así si nos uno dos ser",
    ),
    "it": _language(
        "latin",
        "Sommiamo i due numeri e poi controlliamo che il risultato sia quello giusto.",
        "il lo la i gli le di del della dei che e è in un una per non con si da al sono come più ma anche se o nel "
        "alla questo questa ci ha perché quindi poi dalla allora due essere quando dove così sia",
    ),
    "pt": _language(
        "latin",
        "Somamos os dois números e depois verificamos que o resultado está certo.",
        "o a os as de do da dos das que e em um uma é não para com por no na se ao mais como mas foi são ou quando "
        "muito nos já está eu também só pelo pela até isso ela ele entre depois sem então assim você pois dois ser",
    ),
    "nl": _language(
        "latin",
        "We tellen de twee getallen op en kijken daarna of het resultaat klopt.",
        "de het een en van is dat in te op met voor niet zijn aan er om ook als dan maar bij nog uit door naar heeft "
        "hebben of deze die wordt kan we ik je dus moet eerst nu waar daarna hoe over",
    ),
    "pl": _language(
        "latin",
        "Dodajemy obie liczby i potem sprawdzamy, czy wynik jest taki, jak trzeba.",
        "i w z na nie się do to że jest o jak ale po co tak za od przez czy tylko dla jego są być może gdy już który "
        "które także oraz więc ten tego tym jednak czyli aby więc potem",
    ),
    "tr": _language(
        "latin",
        "Önce iki sayıyı toplarız ve sonra sonucun doğru olup olmadığına bakarız.",
        "bir ve bu da de için ile çok daha gibi ne o olarak sonra kadar en ama var olan değil mi ki iki şu her önce "
        "şimdi ise eğer çünkü yani olur olduğu",
    ),
    "vi": _language(
        "latin",
        "Chúng ta cộng hai số và sau đó kiểm tra kết quả có đúng không.",
        "và của là có cho không được với các một những trong này đó để người ta khi đã từ như vào nhưng cũng ra số "
        "hai sẽ thì nên vì chúng tôi đến sau theo",
    ),
    "ru": _language(
        "cyrillic",
        "Мы складываем оба числа и потом проверяем, что результат верный.",
        "и в не на я что он с как это по но они мы все так его за был от же бы из у вы для то если ее уже или когда "
        "только потом есть нет чтобы этот было мне надо",
    ),
    "uk": _language(
        "cyrillic",
        "Ми додаємо обидва числа і потім перевіряємо, що результат є правильний.",
        "і в не на я що він з як це по але вони ми все так його за був від же би із у ви для то якщо її вже або коли "
        "тільки потім є немає щоб цей було мені треба та й до",
    ),
    "ar": _language(
        "arabic",
        "نجمع العددين ثم نتحقق من أن النتيجة هي التي طلبت في السؤال.",
        "في من على إلى أن هو هي ما لا هذا هذه التي الذي عن مع كان ثم أو إذا قد كل بين لكن ذلك حتى لأن إذن",
    ),
    "fa": _language(
        "arabic",
        "دو عدد را با هم جمع می کنیم و بعد می بینیم که نتیجه درست است.",
        "و در به از که این را با است برای آن یک می ها تا بر هم شود اگر پس چون ما نیست باید هر دو بعد",
    ),
    "he": _language("hebrew", "נחבר את שני המספרים ואז נבדוק שהתוצאה נכונה."),
    "hi": _language("devanagari", "हम दोनों संख्याओं को जोड़ते हैं और फिर देखते हैं कि उत्तर सही है।"),
    "th": _language("thai", "เราบวกเลขสองจำนวนแล้วตรวจว่าผลลัพธ์ถูกต้อง"),
    "el": _language("greek", "Προσθέτουμε τους δύο αριθμούς και ελέγχουμε ότι το αποτέλεσμα είναι σωστό."),
    "ko": _language("hangul", "우리는 두 수를 더하고 그 결과가 맞는지 확인합니다."),
    "zh": _language("han", "我们先把两个数相加,然后检查结果是否正确。"),
    "ja": _language("han kana", "まず二つの数を足して、その結果が正しいかどうかを確かめます。"),
}

_NAMES = {
    **{"english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "portuguese": "pt"},
    **{"dutch": "nl", "polish": "pl", "turkish": "tr", "vietnamese": "vi", "russian": "ru", "ukrainian": "uk"},
    **{"arabic": "ar", "persian": "fa", "farsi": "fa", "hebrew": "he", "hindi": "hi", "thai": "th", "greek": "el"},
    **{"korean": "ko", "chinese": "zh", "japanese": "ja", "cn": "zh", "mandarin": "zh", "jp": "ja"},
}
_NOT_WORDS = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]{0,200}`|\$\$[^$]{0,400}\$\$|\$[^$\n]{0,200}\$|\\\(.{0,200}?\\\)|\\\[.{0,400}?\\\]"
    r"|\\[A-Za-z]+|https?://\S{0,300}|</?[a-z_]{1,20}>",
    re.DOTALL,
)
_RUNS = re.compile(
    r"(?P<latin>[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]+(?:['\u2019][A-Za-z]+)?)"
    r"|(?P<han>[\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]+)"
    r"|(?P<kana>[\u3041-\u3096\u309d-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d]+)"
    r"|(?P<hangul>[\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f]+)|(?P<cyrillic>[\u0400-\u052f]+)"
    r"|(?P<greek>[\u0370-\u03ff\u1f00-\u1fff]+)|(?P<arabic>[\u0620-\u065f\u066e-\u06d3\u06fa-\u06ff\u0750-\u077f]+)"
    r"|(?P<hebrew>[\u0591-\u05f4]+)|(?P<devanagari>[\u0900-\u0965\u0970-\u097f]+)|(?P<thai>[\u0e01-\u0e4e]+)"
    r"|(?P<other>[^\W\d_])"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_DENSE = {"han": 0.5, "kana": 0.5, "thai": 0.25}
_LONGEST = 40
"""Letters of a word; what is longer is none."""
_MARGIN = 2
"""Function words of another language that a sentence needs before it is said to be in it."""


def code_of(name: str) -> str | None:
    """The code in LANGUAGES for "en", "en-US", "English"; None for a language that is not there."""
    short = name.strip().casefold()
    short = _NAMES.get(short) or _NAMES.get(re.split(r"[-_]", short)[0]) or re.split(r"[-_]", short)[0]
    return short if short in LANGUAGES else None


def share(text: str, code: str) -> float | None:
    """The share of the text's words, in [0, 1], that are in that language; None where it has no word.

    >>> share("We add both, 然后检查结果.", "en") < 0.7
    True
    """
    asked = LANGUAGES[code]
    own = all_ = 0.0
    plain = unicodedata.normalize("NFKC", _NOT_WORDS.sub(" ", text[-MAX_CHARS:]))
    for sentence in _SENTENCE.split(plain[:MAX_CHARS]):
        found: dict[str, float] = {}
        words: list[str] = []
        for run in _RUNS.finditer(sentence):
            script = run.lastgroup or "other"
            if script in _DENSE:
                found[script] = found.get(script, 0.0) + _DENSE[script] * len(run[0])
            elif 1 < len(run[0]) <= _LONGEST or script == "other":
                found[script] = found.get(script, 0.0) + 1.0
                words.append(run[0].casefold().replace("’", "'"))
        units = sum(found.values())
        fitting = sum(n for script, n in found.items() if script in asked.scripts)
        all_ += units
        if fitting and not _anothers(words, code) and not (code == "ja" and "kana" not in found and units > 4):
            own += fitting
    return own / all_ if all_ else None


def _anothers(words: list[str], code: str) -> bool:
    """The sentence speaks another language of the same script."""
    asked = LANGUAGES[code]
    if not asked.words or not words:
        return False
    own = _hits(words, asked.words)
    others = [
        _hits(words, other.words)
        for name, other in LANGUAGES.items()
        if name != code and other.words and other.scripts == asked.scripts
    ]
    most = max(others, default=0)
    return most >= _MARGIN and most > own


def _hits(words: list[str], known: frozenset[str]) -> int:
    return sum(word in known for word in words)
