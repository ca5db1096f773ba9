"""Splits are by family and stay; what leaks is found."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.data import Source, check_leaks, find_leaks, load, load_source, load_suite, split
from verigrad.errors import DataError
from verigrad.records import Task


def source_of(*prompts, name="s", held_out=0.2, families=None, **more):
    families = families or prompts
    tasks = tuple(Task.make(prompt=p, gold=1, family=f, source=name) for p, f in zip(prompts, families, strict=True))
    places = tuple(f"{name}.jsonl:{i + 1}" for i in range(len(tasks)))
    return Source(name=name, tasks=tasks, places=places, held_out=held_out, **more)


def families(side):
    return {task.family for tasks in side.values() for task in tasks}


NAMES = st.lists(
    st.text(min_size=1, max_size=6).filter(lambda s: s.isprintable()), min_size=60, max_size=120, unique=True
)


@settings(deadline=None, max_examples=30)
@given(NAMES, st.randoms())
def test_adding_rows_moves_no_other_family(names, rng):
    """Below the validation cap nothing moves at all; the rule of one family a source needs both cuts to have one."""
    few = names[:50]
    rng.shuffle(few)
    before, after = (split([source_of(*rows, held_out=0.3)]) for rows in (few, names))
    assert families(before.held_out) == families(after.held_out) & set(few)
    assert families(before.validation) >= families(after.validation) & set(few)
    assert families(before.train) | families(before.validation) == (
        (families(after.train) | families(after.validation)) & set(few)
    )


@settings(deadline=None, max_examples=30)
@given(st.sets(st.integers(0, 5000), min_size=80, max_size=200), st.sampled_from([0.1, 0.2, 0.5]))
def test_the_held_out_side_depends_on_the_family_alone(numbers, share):
    rows = [f"q{n}" for n in sorted(numbers)]
    one, other = (
        split([source_of(*rows, held_out=share)]),
        split([source_of(*rows[::-1], name="other", held_out=share)]),
    )
    assert families(one.held_out) == families(other.held_out)
    assert families(one.validation) == families(other.validation)


def test_a_larger_share_only_adds_to_the_held_out_side():
    rows = [f"q{n}" for n in range(300)]
    small, large = (families(split([source_of(*rows, held_out=s)]).held_out) for s in (0.1, 0.3))
    assert small < large
    assert 15 <= len(small) <= 45
    assert 65 <= len(large) <= 115


@pytest.mark.parametrize("name", ["times_table", "arithmetic"])
@pytest.mark.parametrize("share", [0.05, 0.1, 0.2, 0.5])
def test_both_orders_of_a_built_in_product_are_on_one_side(name, share):
    cut = split([replace(load_source(name), held_out=share)])
    sides = [families(side) for side in (cut.train, cut.validation, cut.held_out)]
    assert all(sides)
    assert sum(map(len, sides)) == len(set().union(*sides))
    assert sum(len(t[name]) for t in (cut.train, cut.validation, cut.held_out)) == len(load_source(name).tasks)
    check_leaks(cut)


def test_two_sources_share_sides():
    rows = [f"q{n}" for n in range(200)]
    cut = split([source_of(*rows[:150], name="a"), source_of(*rows[50:], name="b")])
    learnt = families(cut.train) | families(cut.validation)
    assert not learnt & families(cut.held_out)
    assert not families(cut.train) & families(cut.validation)
    assert set(cut.train) == set(cut.held_out) == {"a", "b"}
    check_leaks(cut)


def test_validation_is_a_tenth_and_at_most_200_items():
    small = split([source_of(*[f"q{n}" for n in range(1000)], held_out=0)])
    assert small.held_out == {"s": ()}
    assert 70 <= len(small.validation["s"]) <= 130
    large = split([source_of(*[f"q{n}" for n in range(6000)], held_out=0)])
    assert len(large.validation["s"]) == 200
    assert len(large.train["s"]) == 5800


def test_every_source_has_validation_however_small():
    cut = split([source_of(*[f"q{n}" for n in range(5000)], held_out=0), source_of("x", "y", name="b", held_out=0)])
    assert len(cut.validation["b"]) == len(cut.train["b"]) == 1
    assert sum(map(len, cut.validation.values())) <= 200


def test_a_family_larger_than_the_slice_is_cut_and_said():
    rows = [f"q{n}" for n in range(900)]
    cut = split([source_of(*rows, families=[str(n // 300) for n in range(900)], held_out=0)])
    assert (len(cut.validation["s"]), len(cut.train["s"])) == (200, 600)
    assert not families(cut.train) & families(cut.validation)
    assert "100 items of a family larger than the validation slice" in cut.notes[0]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (
            source_of("a", "b", held_out=0.0001),
            "2 item(s) in 2 families leave no held-out item at data.held_out = 0.0001",
        ),
        (source_of("a", "b", held_out=0.99999), "are all held out at data.held_out = 0.99999"),
        (source_of("a", "b", families=["x", "x"], held_out=0), "none is left for validation"),
    ],
)
def test_an_empty_side_is_refused(source, says):
    with pytest.raises(DataError) as refused:
        split([source])
    assert says in str(refused.value)


def test_held_out_may_be_another_source(table, jsonl, tmp_path):
    train = jsonl("train.jsonl", *({"q": f"q{n}", "gold": n, "db": "a"} for n in range(20)))
    test = jsonl("test.jsonl", {"q": "new", "gold": 1, "db": "b"})
    said = {"prompt": "Q {q}", "held_out": test}
    cut = split(load([table(train, **said)], folder=tmp_path))
    assert cut.held_out["train"][0].prompt[0]["content"] == "Q new"
    assert len(cut.train["train"]) + len(cut.validation["train"]) == 20
    check_leaks(cut)
    jsonl("test.jsonl", {"q": "new", "gold": 1, "db": "b"}, {"q": "Q7!", "gold": 0, "db": "b"})
    with pytest.raises(DataError) as refused:
        check_leaks(split(load([table(train, **said)], folder=tmp_path)))
    assert str(refused.value).startswith(
        "1 held-out item(s) are in training or validation: test.jsonl:2 is also train.jsonl:8 "
        "(the same prompt but for its form): "
    )
    jsonl("test.jsonl", {"q": "new", "gold": 1, "db": "a"})
    with pytest.raises(DataError, match=r"1 value\(s\) of data.split_by are both trained on and held out"):
        split(load([table(train, split_by="db", **said)], folder=tmp_path))


TURNS = [{"role": "user", "content": "shot"}, {"role": "assistant", "content": "ok"}]


@pytest.mark.parametrize(
    ("item", "how"),
    [
        (Task.make(prompt="What is 3 * 4?", gold=1), "the same item"),
        (Task.make(prompt="What is 3 * 4?", gold=2), "the same prompt"),
        (Task.make(prompt="what is 3*4", gold=2), "the same prompt but for its form"),
        (Task.make(prompt="ＷＨＡＴ is  3 * 4 …", gold=2), "the same prompt but for its form"),
        (
            Task.make(
                prompt=[{"role": "system", "content": "S"}, {"role": "user", "content": "What is 3 * 4?"}], gold=1
            ),
            "the same prompt",
        ),
        (Task.make(prompt=[*TURNS, {"role": "user", "content": "What is 3 * 4"}], gold=1), "but for its form"),
        (Task.make(prompt="What is 3 - 4?", gold=1), None),
        (Task.make(prompt="What is 30 * 4?", gold=1), None),
    ],
)
@pytest.mark.parametrize("as_suite", [True, False])
def test_a_leak_is_found_however_it_is_written(item, how, as_suite):
    train = source_of("What is 3 * 4?", *[f"Say {n}" for n in range(30)], held_out=0)
    test = Source(name="t", tasks=(item,), places=("t.jsonl:1",))
    cut = split([train], suites=[test]) if as_suite else split([replace(train, held_out=test)])
    leaks = find_leaks(cut)
    if how is None:
        assert leaks == ()
        return
    (leak,) = leaks
    assert how in leak.how
    assert (leak.test, leak.training) == ("t.jsonl:1", "s.jsonl:1")
    with pytest.raises(DataError, match="take them out of one side"):
        check_leaks(cut)


def test_a_question_shown_in_the_few_shot_turns_leaks():
    shots = [{"role": "user", "content": "What is 3 * 4?"}, {"role": "assistant", "content": "12"}]
    tasks = tuple(Task.make(prompt=[*shots, {"role": "user", "content": f"Say {n}"}], gold=n) for n in range(30))
    train = Source(name="s", tasks=tasks, places=tuple(map(str, range(30))), held_out=0.0)
    test = Source(name="t", tasks=(Task.make(prompt="What is 3*4?"),), places=("t.jsonl:1",))
    (leak,) = find_leaks(split([train], suites=[test]))
    assert (leak.how, leak.training) == ("shown in the few-shot turns", "s's prompt")


def talk(*turns, gold=1):
    """A conversation, the user first."""
    roles = ("user", "assistant")
    return Task.make(prompt=[{"role": roles[i % 2], "content": t} for i, t in enumerate(turns)], gold=gold)


QUESTION = "Which river runs through Lisbon?"


@pytest.mark.parametrize(
    ("trained", "item", "leaks"),
    [
        ([("hello", "hi", QUESTION)], (QUESTION,), True),
        ([("hello", "hi", "which river runs through LISBON")], (QUESTION,), True),
        ([(QUESTION, "The Tagus.", "And through Porto, please?")], (QUESTION,), True),
        ([(QUESTION,)], ("hello", "hi", QUESTION), True),
        ([("hello", "hi", "What is 7 * 8?")], ("7 * 8",), False),
        ([("hello", "hi", "7*8?")], ("7 * 8",), True),
        ([("hello", "hi", "Say a word")], ("hello",), False),
        ([("Name a fish.", "cod", "go on")], ("Name a bird.", "owl", "go on"), False),
        (
            [
                ("Name a fish.", "cod", "Please tell me more about it."),
                ("A tree?", "oak", "Please tell me more about it."),
            ],
            ("Name a bird.", "owl", "Please tell me more about it."),
            False,
        ),
    ],
)
@pytest.mark.parametrize("as_suite", [True, False])
def test_a_question_inside_a_conversation_leaks(trained, item, leaks, as_suite):
    tasks = (
        *(talk(*t) for t in trained),
        *(talk("Good day", "Good day", f"Say {n}") for n in range(30)),
        talk("Plain"),
    )
    places = tuple(f"s.jsonl:{i + 1}" for i in range(len(tasks)))
    train = Source(name="s", tasks=tasks, places=places, held_out=0.0)
    test = Source(name="t", tasks=(talk(*item),), places=("t.jsonl:1",))
    cut = split([train], suites=[test]) if as_suite else split([replace(train, held_out=test)])
    found = find_leaks(cut)
    assert [(leak.test, leak.training) for leak in found] == ([("t.jsonl:1", "s.jsonl:1")] if leaks else [])
    if leaks and len(trained[0]) > 1:
        assert found[0].how == "a turn of its conversation"


def test_a_suite_on_the_training_source_is_refused():
    with pytest.raises(DataError, match=r"times_table\[\d+\] is also times_table\[\d+\] \(the same item\)"):
        check_leaks(split([replace(load_source("times_table"), held_out=0.2)], suites=[load_suite("times_table")]))


def test_two_suites_of_one_name_are_refused():
    train = source_of(*[f"q{n}" for n in range(30)], held_out=0)
    one, other = (Source(name="t", tasks=(Task.make(prompt=p),), places=(f"{p}/t.jsonl:1",)) for p in "ab")
    assert split([train], suites=[one, one]).suites == {"t": one.tasks}
    with pytest.raises(DataError, match="two acceptance sources are named t"):
        split([train], suites=[one, other])


def test_a_split_column_that_parts_equal_prompts_leaks():
    rows = [f"q{n // 2}" for n in range(200)]
    tasks = source_of(*rows, families=[f"f{n}" for n in range(200)])
    twins = tuple(replace(t, key=f"{n:016x}") for n, t in enumerate(tasks.tasks))
    assert find_leaks(split([replace(tasks, tasks=twins)]))
