"""How rows are put together: pure arithmetic over lengths, nothing lost, nothing twice, equal rows once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.training.training_cases import batch
from verigrad.records import Batch
from verigrad.training.micro_batches import MicroBatch, cost, micro_batches, minibatches


def made(groups: Sequence[tuple[int, Sequence[int]]]) -> Batch:
    """A batch of (prompt length, answer lengths) groups, no two prompts or answers equal."""
    rows = sum(len(answers) for _, answers in groups)
    b = batch(0, groups=1, size=rows + 1).take(range(rows))
    longest = max(max(answers) for _, answers in groups)
    length_B = np.array([n for _, answers in groups for n in answers])
    return replace(
        b,
        prompt_ids=tuple(np.full(size, 10 + g) for g, (size, answers) in enumerate(groups) for _ in answers),
        token_ids_BT=np.arange(b.rows)[:, None] + np.zeros((1, longest), dtype=np.int64),
        chosen_BT=np.arange(longest)[None] < length_B[:, None],
        length_B=length_B,
        group_B=np.repeat(np.arange(len(groups)), [len(answers) for _, answers in groups]),
    )


def rows_of(plan: Sequence[MicroBatch]) -> list[list[int]]:
    return [micro.rows.tolist() for micro in plan]


def spent(b: Batch, micro: MicroBatch, *, packed: bool) -> int:
    answers: dict[bytes, list[int]] = {}
    for i in micro.distinct:
        answers.setdefault(b.prompt_ids[i].tobytes(), []).append(int(b.length_B[i]))
    return cost([np.frombuffer(key, dtype=np.int64) for key in answers], list(answers.values()), packed=packed)


THREE = made([(4, [2, 3, 1]), (6, [5, 5, 5]), (1, [1, 1])])


@pytest.mark.parametrize(
    ("tokens", "rows"),
    [
        (1000, [[0, 1, 2, 3, 4, 5, 6, 7]]),
        (33, [[0, 1, 2], [3, 4, 5, 6, 7]]),
        (34, [[0, 1, 2, 3, 4, 5, 6, 7]]),
        (30, [[0, 1, 2], [3, 4, 5, 6, 7]]),
        (21, [[0, 1, 2], [3, 4, 5], [6, 7]]),
        (20, [[0, 1, 2], [3], [4, 5, 6, 7]]),
        (11, [[0, 1, 2], [3], [4], [5], [6, 7]]),
        (9, [[0], [1, 2], [3], [4], [5], [6, 7]]),
        (1, [[0], [1], [2], [3], [4], [5], [6], [7]]),
    ],
)
def test_groups_stay_whole_where_they_fit_and_are_split_by_answers_where_not(
    tokens: int, rows: list[list[int]]
) -> None:
    assert [sorted(r) for r in rows_of(micro_batches(THREE, np.arange(8), tokens))] == rows


def test_micro_batches_are_as_few_as_fit_and_then_even() -> None:
    """The budget would take seven groups of eight; four and four hold less memory and are as many."""
    b = made([(54, [32] * 8)] * 8)
    assert [len(r) for r in rows_of(micro_batches(b, np.arange(64), 7 * 310))] == [32, 32]
    assert [len(r) for r in rows_of(micro_batches(b, np.arange(64), 3 * 310))] == [24, 24, 16]


def test_a_group_is_split_into_the_fewest_even_pieces() -> None:
    b = made([(54, [256] * 8)])
    assert [len(r) for r in rows_of(micro_batches(b, np.arange(8), 2101))] == [4, 4]
    assert [len(r) for r in rows_of(micro_batches(b, np.arange(8), 54 + 3 * 256))] == [2, 3, 3]


def test_the_padded_layout_counts_every_answer_as_the_longest_row() -> None:
    prompts = [np.full(4, 1), np.full(6, 2)]
    assert cost(prompts, [[2, 3, 1], [5, 5, 5]], packed=True) == 4 + 6 + 6 + 15
    assert cost(prompts, [[2, 3, 1], [5, 5, 5]], packed=False) == 6 * 11
    assert [len(r) for r in rows_of(micro_batches(THREE, np.arange(8), 88, packed=False))] == [8]
    assert [len(r) for r in rows_of(micro_batches(THREE, np.arange(8), 87, packed=False))] == [3, 5]


def test_what_prompts_begin_with_in_common_counts_once() -> None:
    """Few-shot prompts: the same examples, then another question."""
    shown = np.arange(60)
    prompts = [np.append(shown, last) for last in ([7, 7], [9], [7, 8, 8])] + [np.array([5, 5])]
    answers = [[3], [1, 1], [2], [4]]
    assert cost(prompts, answers, packed=True) == 60 + 2 + 1 + 2 + 2 + 3 + 2 + 2 + 4
    assert cost(prompts[::-1], answers[::-1], packed=True) == cost(prompts, answers, packed=True)


def test_rows_that_are_left_out_take_no_place_and_a_group_without_rows_no_prompt() -> None:
    plan = micro_batches(THREE, np.array([0, 6, 7]), 9)
    assert rows_of(plan) == [[0, 6, 7]]
    assert spent(THREE, plan[0], packed=True) == 9
    assert micro_batches(THREE, np.array([], dtype=np.int64), 9) == []


def test_equal_rows_are_computed_once() -> None:
    b = made([(3, [2, 2, 2, 2]), (3, [2, 2])])
    token_ids_BT = b.token_ids_BT.copy()
    token_ids_BT[[1, 3]] = token_ids_BT[0]
    token_ids_BT[4] = token_ids_BT[0]
    (micro,) = micro_batches(replace(b, token_ids_BT=token_ids_BT), np.arange(6), 100)
    assert micro.rows.tolist() == [0, 1, 3, 2, 4, 5]
    assert micro.distinct.tolist() == [0, 2, 4, 5]
    assert micro.of.tolist() == [0, 0, 0, 1, 2, 3]
    assert [len(r) for r in rows_of(micro_batches(replace(b, token_ids_BT=token_ids_BT), np.arange(6), 7))] == [4, 2]


def test_groups_with_the_same_prompt_are_one_sequence() -> None:
    b = made([(5, [1, 1]), (3, [1]), (5, [1, 1])])
    prompts = [b.prompt_ids[0] if len(p) == 5 else p for p in b.prompt_ids]
    plan = micro_batches(replace(b, prompt_ids=tuple(prompts)), np.arange(5), 9)
    assert rows_of(plan) == [[0, 1, 3, 4], [2]]


@given(
    st.lists(st.tuples(st.integers(1, 9), st.lists(st.integers(1, 9), min_size=1, max_size=5)), min_size=1, max_size=5),
    st.integers(1, 80),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_every_row_stands_once_and_the_budget_holds(groups, tokens, packed, random) -> None:  # type: ignore[no-untyped-def]
    b = made(groups)
    rows = np.array([i for i in range(b.rows) if random.random() < 0.8], dtype=np.int64)
    plan = micro_batches(b, rows, tokens, packed=packed)
    assert sorted(i for r in rows_of(plan) for i in r) == rows.tolist()
    assert rows_of(plan) == rows_of(micro_batches(b, rows, tokens, packed=packed))
    for micro in plan:
        assert len(micro.distinct) == 1 or spent(b, micro, packed=packed) <= tokens
        assert micro.distinct[micro.of].tolist() == micro.rows.tolist()
    for g in range(len(groups)):
        inside = [micro for micro in plan if (b.group_B[micro.rows] == g).any()]
        own = [int(b.length_B[i]) for i in rows if b.group_B[i] == g]
        if own and cost([np.ones(groups[g][0])], [own], packed=packed) <= tokens:
            assert len(inside) == 1


def test_minibatches_are_whole_groups_in_order() -> None:
    group_B = np.repeat([0, 1, 2, 3, 4], [2, 3, 1, 2, 2])
    assert [m.tolist() for m in minibatches(group_B, 2)] == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9]]
    assert [m.tolist() for m in minibatches(group_B, 1)] == [list(range(10))]
    assert len(minibatches(group_B, 9)) == 5
