"""Whether an answer re-checks itself: the words with which a text goes back over what it said.

A count of words, not of thought: it says how often such words are used, and nothing of whether a check was made or
helped. English only. Left out: what the check finds.
"""

from __future__ import annotations

import re

_RECHECK = re.compile(
    r"\b(?:"
    r"(?:let(?:'|’)?s|let me|let us|i(?:'|’)?ll|i will|we can|i should|to be sure,? i)\s+(?:just\s+|quickly\s+)?"
    r"(?:double[- ]?check|re-?check|verify|check|re-?examine|re-?evaluate|go over (?:this|it|that) again)"
    r"|(?:double|re)[- ]?check(?:ing|ed)?\b"
    r"|(?:^|(?<=[.!?\n]\s)|(?<=[.!?\n]))wait\b"
    r"|wait,"
    r"|hold on\b"
    r"|on second thou?ght"
    r"|let me (?:re-?think|reconsider|try again|start over)"
    r"|(?:checking|verifying) (?:this|that|my|the|our)\b"
    r"|check:"
    r")",
    re.IGNORECASE,
)
LONGEST = 100_000
"""Characters of an answer that are looked at."""


def rechecks(answer: str) -> bool:
    """Whether the answer goes back over itself at least once.

    >>> rechecks("7 * 8 = 54. Wait, 7 * 8 = 56."), rechecks("We wait for 3 minutes, so 56.")
    (True, False)
    """
    return _RECHECK.search(answer[:LONGEST]) is not None
