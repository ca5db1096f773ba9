"""Seeds are hashes and uniforms depend on nothing but the draw and the token."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from verigrad.records import seed, uniform, uniforms


def test_a_seed_is_never_a_sum() -> None:
    assert seed("draw", 0, 1) != seed("draw", 1, 0)
    assert seed("draw", 1) != seed("draw", "1")
    assert seed("draw", "a", "b") != seed("draw", "ab")
    assert seed("draw") != seed("accept")


def test_a_seed_stays_the_same_from_version_to_version() -> None:
    assert seed("draw", 1) == 13203630802960507108


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20), st.integers(0, 5000))
def test_a_token_does_not_depend_on_its_batch(seeds: list[int], t: int) -> None:
    together = uniforms(np.array(seeds, dtype=np.uint64), t)
    assert all(uniform(s, t) == u for s, u in zip(seeds, together, strict=True))
    assert ((together >= 0) & (together < 1)).all()


def test_uniforms_are_uniform_and_unrelated_between_neighbours() -> None:
    seeds = np.arange(20_000, dtype=np.uint64)
    first, second = uniforms(seeds, 0), uniforms(seeds, 1)
    assert stats.kstest(first, "uniform").pvalue > 1e-3
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.03
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < 0.03
    along = np.array([uniform(7, t) for t in range(5000)])
    assert stats.kstest(along, "uniform").pvalue > 1e-3
