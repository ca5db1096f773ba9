"""What the words beside an answer do to it: deny it, leave it open, or make another value out of it.

The same reading for all verifiers, on text as `spelling.normalise` leaves it. `before` is the text up to the answer
and `after` the text behind it. A word counts only where it reaches the answer: in the answer's own clause, which a
comma, a colon, "so", "and" or "but" ends ("about twice as many, so 80" is 80, "not 79, it is 80" is 80, "the number
not eaten is 80" is 80). Lists of words and not a grammar: what no list holds is read as said plainly. Left out:
numbers and operators (tokens, literals).
"""

from __future__ import annotations

import re

_REACH = 200
"""Characters on each side of an answer that are looked at."""

_CLAUSE_END = re.compile(r"[,;:.!?\n]|\b(?:and|so|but|hence|therefore|thus|because|since|then|instead(?! of))\b")
_NOT = r"(?:not|never|cannot|hardly|scarcely|barely|no longer|[a-z]+n't)"
_ADVERB = r"(?: (?:possibly|really|actually|ever|even|quite|exactly|just|simply|clearly|be|equal to|called))*"
_FILLER = "of|the|a|an|all|these|those|our|as|many|much|option|choice|answer|label|category"
_FILL = rf"(?: ?(?:\b(?:{_FILLER})\b|[(\[{{\"'*$]))* ?$"
_IS = r"(?:is|are|was|were|be|equals?|gives?|makes?|gets?|has|have)"

_BUT = re.compile(
    r"\b(?:any|all|every|no|none|nothing|anything|everything|anyone|everyone)(?: [a-z]+){0,2} but" + _FILL
)
_DENIED = re.compile(
    rf"\b{_NOT}{_ADVERB}{_FILL}"
    rf"|\b{_NOT}{_ADVERB} (?:be|equal|give|make|get|yield|become|total|reach|choose|pick|select|say|mean|have|need)"
    rf"(?: to)?{_FILL}"
    r"|\bnot [a-z] = ?$"
    rf"|^ ?(?:nothing|none|nobody|neither|no [a-z]+)(?: [a-z]+){{0,3}} {_IS} ?$"
    r"|\b(?:nobody|no[- ]?one|none (?:of [a-z]+ )?)(?: (?:has|have|had|would|could|can|will|ever)){0,2}"
    rf" (?:says?|said|gets?|got|found|finds|claims?|claimed|thinks?|thought|answers?|answered|believes?"
    rf"|believed){_FILL}"
    rf"|\b{_NOT} (?:[a-z]+ly )?(?:think|believe|say|suppose|claim|mean|agree|sure|certain|true|convinced|the case|"
    r"correct (?:that|to)|right (?:that|to)|possible (?:that|to)|likely (?:that|to))\b"
    r"|\b(?:doubt|doubtful|unlikely|deny|denies|disagree|no way|unsure|uncertain|whether)\b"
    r"|\b(?:wrong|incorrect|false|untrue|mistaken|impossible|absurd) (?:that|to)\b"
    r"|\b(?:wrong|incorrect|false|bad|mistaken) (?:final )?(?:answer|result|value|number|solution|option|choice)"
    rf"(?: {_IS}| would be| must be)? ?:?{_FILL}"
    r"|\b(?:except|excluding|excludes?|excluded|without|besides|unlike|avoids?|rejects?|rejected|neither|nor|no"
    r"|(?:unequal|opposed) to|instead of|(?:rather|other) than|(?:apart|aside|far|different|differs) from"
    rf"|rul(?:e|es|ed|ing) out|anti|non)(?: for)? ?-?{_FILL}"
    rf"|(?:不 ?[是为]|[并而绝] ?非|不 ?等 ?于){_FILL}"
    r"|(?:¬|\\(?:neg|lnot|not|cancel|xcancel|sout|overline|bar)(?![a-z])) ?\{? ?$"
)
_OPEN = re.compile(
    r"\b(?:maybe|perhaps|possibly|hypothetically)\b|\b(?:could|might|may) (?:well |also )?be ?$"
    r"|^ ?(?:if|unless|suppose|assume|let)(?: that)? (?:it|this|[a-z]|the (?:answer|number|value)) (?:is|be|were|=) ?$"
)

_NUMERAL = (
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|trillion|dozen)s?"
)
_PART = r"(?:half|halves|quarter|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|hundredth|thousandth|millionth)s?"
_CHANGED_BEFORE = re.compile(
    r"\b(?:half|halve|twice|thrice|double|triple|treble|quadruple|times|neg|negative|minus|sqrt|cbrt"
    r"|(?:square|cube) root"
    r"|log|ln|lg|exp|sin|cos|tan|abs|absolute value|floor|ceil|factorial|logarithm|reciprocal|inverse|opposite)"
    + _FILL
    + rf"|\b(?:{_PART}|{_NUMERAL}|percent|percentage|parts?|fraction|portion|some|most|multiples?|factors|divisors?"
    r"|roots?|square|cube|out|short|shy|upwards?|north|south|none|any) of(?: (?:the|a|an|all|these|those))* ?$"
    rf"|\b{_NUMERAL}(?: and| point| -)? ?$"
    r"|\b(?:under|below|above|beyond|exceed(?:s|ing)?|almost|nearly|(?:close|next) to) ?$"
    r"|(?<!add)(?<!adds)(?<!added)(?<!adding)(?<!come)(?<!comes)(?<!sum)(?<!sums)(?<!round)(?<!rounds)(?<!rounded)"
    r" up to ?$|^up to ?$"
)
_CHANGED_AFTER = re.compile(
    r"(?:- )?(?:(?:hundred|thousand|million|billion|trillion|dozen|lakh|crore)s?|k|bn|mn|mil|mio|pct|ppm|ppb|bps|gross"
    r"|per ?mill?e?|permill?e?|per (?:thousand|hundred|million)|basis points?|percentage points?|ish|something"
    r"|squared|cubed|factorial|doubled|tripled|halved|quadrupled|negated|inverted"
    rf"|halves|(?:third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|hundredth|thousandth|millionth)s)\b"
    rf"|- odd\b|and (?:(?:a|an|one|two|three) )?(?:{_PART}|change|something|counting|up)\b|plus$"
    rf"|(?:plus|minus|times|over|divided by|multiplied by|mod|modulo) {_NUMERAL}\b"
    r"|(?:\S+ ){0,3}below (?:zero|freezing|nought|sea|par)\b|below$"
    r"|(?:in |to )?(?:the )?(?:base|hex|hexadecimal|octal|binary)\b|[a-z]+(?<!mm)(?<!cm)(?<!km)(?<!ft)(?<!\bm)[0-9]"
)
_BAD = (
    r"(?:wrong|incorrect|false|untrue|impossible|mistaken|absurd|invalid|rejected|excluded|eliminated|out|ruled out"
    r"|unlikely|doubtful"
    r"|(?:a |an )?(?:over|under)(?:estimate|statement|count)[a-z]*|(?:over|under)stated"
    r"|no(?! doubt)|hardly|scarcely|not|never|far from|a mistake|an error|too [a-z]+)"
)
_DENIED_AFTER = re.compile(
    rf"(?:[^,;.:!?(\n]*\b)?(?:is|was|be|seems?|looks?|sounds?|appears?|that's|it's)"
    rf"(?: (?:clearly|simply|just|also|plainly|of course))? {_BAD}\b"
    r"|(?:(?!(?:that|who|which)\b)[a-z]+ ){0,2}(?:cannot|(?!don't)[a-z]+n't"
    r"|(?:does|did|can|could|will|would|must|should|has) (?:not|never|hardly))\b"
    rf"|.*[,;] ?(?:and |but )?(?:which|that|it|this) (?:is|was|must be|cannot be|can't be|seems|looks) {_BAD}\b"
    rf"|.*[,;] (?:but )?(?:that's|it's) {_BAD}\b"
    r"|(?:.*[-,;:(] ?)?(?:wrong|incorrect|false|no|nope|nah|not)(?: wait| really| at all)? ?[).!]* ?$"
    r"|.*\b(?:maybe|perhaps|possibly|or not)\b"
    r"|\?(?! ?(?:yes|yeah|yep|right|correct|sure|definitely)\b)"
)
_CAUSE = re.compile(r"\b(?:because|since|as|so|while|where|when)\b")
_RETRACTED = re.compile(
    r"(?:^|[.!?\n]) *(?:(?:but|no|wait|hmm|actually|sorry)[, ]+)*(?:that|this|it|the above)"
    r"(?:(?:'s| is| was| must be| looks| seems) (?:clearly |simply |just )?(?:wrong|incorrect|false|impossible"
    r"|a mistake|an error|not (?:right|correct|true|the answer))|(?: cannot be| can't be| isn't| wasn't)"
    r" (?:right|correct|true|the answer))\b"
    r"|(?:^|[.!?\n]) *(?:no|nope|wrong|incorrect)[.!]* *$|\b(?:scratch that|i take (?:that|it) back)\b"
)


def denied(before: str, after: str = "") -> bool:
    """The answer between the two texts is denied or left open: "not B", "anything but B", "B is wrong", "B? no"."""
    before, after = _tail(before), _head(after)
    if _BUT.search(before):
        return True
    clause = _clause(before)
    if _DENIED.search(clause) or _OPEN.search(clause):
        return True
    cause = _CAUSE.search(after)
    return bool(_DENIED_AFTER.match(after[: cause.start()] if cause else after))


def changed(before: str, after: str) -> bool:
    """The number between the two texts is only a part of the value: "half of 80", "80 million", "80 below zero"."""
    clause = _clause(_tail(before), keep_and=True)
    return bool(_CHANGED_BEFORE.search(clause) or _CHANGED_AFTER.match(_head(after)))


def retracted(rest: str) -> bool:
    """The text behind the last mark takes it back: "That is wrong.", "No."."""
    return bool(_RETRACTED.search(rest[: 10 * _REACH].lower().replace("’", "'")))


def _tail(before: str) -> str:
    return re.sub(r" +", " ", before[-_REACH:]).lower().replace("’", "'")


def _head(after: str) -> str:
    return after[:_REACH].lower().replace("’", "'").lstrip(" )]}\"'*$")


def _clause(before: str, *, keep_and: bool = False) -> str:
    """What stands before the answer in its own clause."""
    ends = [m for m in _CLAUSE_END.finditer(before) if not (keep_and and m[0] == "and")]
    return before[ends[-1].end() :] if ends else before
