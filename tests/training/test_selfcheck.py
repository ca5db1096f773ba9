"""How often an answer re-checks itself: words that go back over what was said, and words that only look so."""

from __future__ import annotations

import pytest

from verigrad.training.selfcheck import rechecks


@pytest.mark.parametrize(
    "answer",
    [
        "7 * 8 = 54. Wait, 7 * 8 = 56.",
        "So 80.\nWait - that cannot be.",
        "Let me double-check: 8 * 10 = 80.",
        "Let's verify this by adding.",
        "I'll check the sum once more.",
        "Double checking gives 80.",
        "Hold on, there are two of them.",
        "On second thought it is 12.",
        "Check: 4 + 5 = 9.",
        "Verifying my result: 9.",
        "Let me reconsider the first step.",
    ],
)
def test_words_that_go_back(answer):
    assert rechecks(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "80",
        "We wait for 3 minutes, so 56.",
        "The check was for 20 euros.",
        "He checks 5 boxes a day and waits.",
        "A verified account has 3 badges.",
        "The waiter brings 4 plates.",
    ],
)
def test_words_that_only_look_so(answer):
    assert not rechecks(answer)


def test_an_endless_answer_takes_no_time():
    assert not rechecks("let me " * 200_000)
