"""The scripted sampler: a function's answers in the shape of a model's."""

from __future__ import annotations

import pytest

from verigrad.errors import Refused
from verigrad.records import Request
from verigrad.sampling import Sampler, Scripted


def ask(**request):
    values = {"prompt": ({"role": "user", "content": "7 * 8?"},), "seed": 3, "max_tokens": 20, **request}
    return Request(**values)


def test_it_answers_in_order_and_remembers_what_it_was_asked():
    sampler = Scripted(lambda request: str(request.seed))
    assert isinstance(sampler, Sampler)
    requests = [ask(seed=3), ask(seed=14)]
    completions = sampler.sample(requests)
    assert [c.text for c in completions] == ["3", "14"]
    assert [len(c.token_ids) for c in completions] == [len(c.logp) for c in completions] == [2, 3]
    assert [c.finish for c in completions] == ["stop", "stop"]
    assert sampler.requests == requests


@pytest.mark.parametrize(
    ("request_", "text", "finish"),
    [
        ({"max_tokens": 3}, "56", "stop"),
        ({"max_tokens": 2}, "56", "length"),
        ({"max_tokens": 1}, "5", "length"),
        ({"stop": ("6",)}, "5", "stop"),
    ],
)
def test_limits_and_stops(request_, text, finish):
    completion = Scripted(lambda _: "56").sample([ask(**request_)])[0]
    assert (completion.text, completion.finish) == (text, finish)


def test_it_refuses_what_any_sampler_refuses():
    with pytest.raises(Refused, match="needs at least 1"):
        Scripted(lambda _: "").sample([ask(max_tokens=0)])
