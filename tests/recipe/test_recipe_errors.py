"""Every refusal of a recipe is one line with its place. Tables of good and bad edits of one right recipe."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from verigrad.errors import Refused
from verigrad.recipe import Recipe, load, parse
from verigrad.recipe.grammar import KEYS, TABLES

FIXTURES = Path(__file__).parent / "fixtures"
SQL = (FIXTURES / "sql.toml").read_text()


def read(old: str, new: str, text: str = SQL) -> Recipe:
    assert old in text
    return parse(text.replace(old, new, 1), file="sql.toml", folder=FIXTURES)


def refusal(old: str, new: str, text: str = SQL) -> str:
    with pytest.raises(Refused) as caught:
        read(old, new, text)
    said = str(caught.value)
    assert "\n" not in said
    return said


def test_there_are_sixty_keys_and_the_grammar_page_names_each() -> None:
    assert len(KEYS) == 60
    page = (Path(__file__).parents[2] / "docs" / "recipe.md").read_text()
    grammar = page.split("```toml")[1].split("```")[0]
    for key in KEYS:
        table, name = key.split(".")
        section = grammar.split(f"[[{table}]]" if table == "stage" else f"[{table}]", 1)[1].split("\n\n")[0]
        assert re.search(rf"\b{name}\b", section), key


def test_errors_as_the_grammar_page_writes_them() -> None:
    """The three of its last section that are the recipe's, at exactly these lines."""
    nine = "[model]\npath = 'm'\n[data]\nsource = 'times_table'\n\n\n\n[reward]\nverifer = 'number'\n"
    with pytest.raises(Refused) as caught:
        parse(nine, file="sql.toml", folder=FIXTURES)
    assert str(caught.value) == "sql.toml:9: unknown key reward.verifer; did you mean reward.verifier?"
    with pytest.raises(Refused) as caught:
        parse("\n" * 29 + "[run]\nsteps = 3\n", file="sql.toml", folder=FIXTURES)
    assert str(caught.value) == "sql.toml:31: unknown key run.steps; it is train.steps"
    with pytest.raises(Refused) as caught:
        parse("[model]\npath = 'm'\n" + "\n" * 20 + '[train]\ngroup = "8"\n', file="sql.toml", folder=FIXTURES)
    assert str(caught.value) == 'sql.toml:24: train.group wants a whole number, got the text "8"'


RULE = 'rule   = { test = "sampled", answers = 4, gain = 0.03, p = 0.05 }'
PATH = 'path = "Qwen/Qwen2.5-0.5B-Instruct"'
PROMPT = 'prompt   = "Schema:\\n{schema}\\n\\nQuestion: {question}"'
VERIFIER = 'verifier = "checks.py:rows_match"'
CLIP = "clip   = { low = 0.2, high = 0.28 }"

BAD = [
    # unknown tables and keys
    ("[train]", "[trian]", "26: unknown table trian; did you mean train?"),
    ("[train]", "[[train]]", "26: [[train]] may not be doubled; only data, reward, acceptance and stage may"),
    ("[train]", "[hardware]", "26: unknown table hardware; there is model, data, reward, loss, sampling, train,"),
    ("# sql.toml", "lr = 1 #", "1: unknown key lr; it is train.lr"),
    ("lr = 2e-6", "warmup = 5", "30: unknown key train.warmup; it is train.schedule.warmup"),
    ("lr = 2e-6", "optimiser = 'adamw'", "30: unknown key train.optimiser; did you mean train.optimizer?"),
    (
        "lr = 2e-6",
        "schedule = { name = 'linear', flor = 1 }",
        "30: unknown key train.schedule.flor; did you mean train.schedule.floor?",
    ),
    ("split_by", "weigth = 1\nsplit_by", "11: unknown key data.weigth; did you mean data.weight?"),
    ("name = ", "max_token = 3\nname = ", "38: unknown key run.max_token; did you mean sampling.max_tokens?"),
    ("name = ", "weight = 3\nname = ", "38: unknown key run.weight; it is data.weight or reward.weight"),
    (CLIP, "beta = 0.1", "21: unknown key loss.beta; there is method, baseline, scale, ratio, clip"),
    (PROMPT, "prompt = [{ rol = 'user' }]", "8: unknown key data.prompt.rol; did you mean data.prompt.role?"),
    # TOML
    ("[train]", "[train", "26: not TOML: expected ']' at the end of a table declaration"),
    ("lr = 2e-6", "lr = 1\nlr = 2", "31: not TOML: cannot overwrite a value (is it written twice?)"),
    ("[run]", "[train]", "37: not TOML: cannot declare ('train',) twice (is it written twice?"),
    ('"sql"\n', '"sql', "38: not TOML: unterminated string"),
    # types and ranges
    ("group = 8", "group = 8.0", "29: train.group wants a whole number, got 8.0"),
    ("group = 8", "group = true", "29: train.group wants a whole number, got true"),
    ("group = 8", "group = 0", "29: train.group wants a whole number of at least 1, got 0"),
    ("prompts = 16", "prompts = -1", "28: train.prompts wants a whole number of at least 1, got -1"),
    ("lr = 2e-6", "passes = 0", "30: train.passes wants a whole number of at least 1, got 0"),
    ("lr = 2e-6", "minibatches = 0", "30: train.minibatches wants a whole number of at least 1, got 0"),
    ("lr = 2e-6", "lr = 0", "30: train.lr wants a number above 0, got 0"),
    ("lr = 2e-6", "lr = nan", "30: train.lr wants a number, got nan"),
    ("lr = 2e-6", 'lr = "2e-6"', '30: train.lr wants a number, got the text "2e-6"'),
    ("lr = 2e-6", "schedule = 5", '30: train.schedule wants "constant", "linear", "cosine" or { name, ... }, got 5'),
    ("lr = 2e-6", 'schedule = "x"', '30: train.schedule.name wants "constant", "linear" or "cosine", got the text "x"'),
    ("lr = 2e-6", "schedule = {\n floor = 2 }", "30: not TOML:"),
    ("lr = 2e-6", "schedule = { floor = 2 }", "30: train.schedule.floor wants a number from 0 to 1, got 2"),
    ("lr = 2e-6", "schedule = { warmup = 0.1 }", "30: train.schedule.warmup wants a whole number, got 0.1"),
    ("lr = 2e-6", "optimizer = { name = 'sgd' }", '30: train.optimizer.name wants "adamw", got the text "sgd"'),
    ("lr = 2e-6", "optimizer = { betas = [1] }", "30: train.optimizer.betas wants two numbers of at least 0 and below"),
    ("lr = 2e-6", "keep_last = 0", "30: train.keep_last wants a whole number of at least 1, got 0"),
    ("max_tokens = 256", "max_tokens = 0", "24: sampling.max_tokens wants a whole number of at least 1, got 0"),
    ("max_tokens = 256", "temperature = -1", "24: sampling.temperature wants a number of at least 0, got -1"),
    ("max_tokens = 256", "engine = 'sglang'", '24: sampling.engine wants "local", "vllm" or "http", got the text "sgl'),
    ("max_tokens = 256", "stop = [1]", "24: sampling.stop wants a list of texts, got a list"),
    ("max_tokens = 256", "options = 3", "24: sampling.options wants a table { ... }, got 3"),
    ("weight  = 0.2", "weight = -0.2", "17: reward.weight wants a number of at least 0, got -0.2"),
    ("weight  = 0.2", "gated = 1", "17: reward.gated wants true or false, got 1"),
    ("weight  = 0.2", "on = 3", "17: reward.on wants a source's name or a list of them, got 3"),
    (VERIFIER, "verifier = true", "14: reward.verifier wants a text, got true"),
    (VERIFIER, "verifier = ''", "14: reward.verifier wants a text, got an empty text"),
    (
        "held_out = 0.2",
        "held_out = 1",
        "10: data.held_out wants a share of at least 0 and below 1, or another source, got",
    ),
    ("held_out = 0.2", "held_out = true", "10: data.held_out wants a share of at least 0 and below 1, or another"),
    ("held_out = 0.2", "weight = -1", "10: data.weight wants a number of at least 0, got -1"),
    ('{ gold = "gold_sql" }', "{ gold = 3 }", "9: data.columns wants a table of ours = yours, both texts, got a table"),
    (PROMPT, "prompt = []", "8: data.prompt wants a text or a list of { role, content }, got a list"),
    (
        PROMPT,
        'prompt = [{ role = "x", content = "" }]',
        '8: data.prompt.role wants "system", "user", "assistant" or "t',
    ),
    (CLIP, "clip = 0.2", "21: loss.clip wants a word or { name = word, parameters }, got 0.2"),
    ('"dr_grpo"', "3", "20: loss.method wants a text, got 3"),
    (
        PATH,
        f"{PATH}\ndtype = 'float16'",
        '4: model.dtype wants "auto", "float32" or "bfloat16", got the text "float16"',
    ),
    (PATH, f"{PATH}\ndevice = 0", '4: model.device wants "auto", "cpu", "cuda" or "mps", got 0'),
    (PATH, f"{PATH}\nlora = '8'", '4: model.lora wants 0, a rank or { rank, ... }, got the text "8"'),
    (
        PATH,
        f"{PATH}\nlora = -1",
        "4: model.lora.rank wants a whole number of at least 1 (lora = 0 trains all weights), got",
    ),
    (PATH, f"{PATH}\nlora = {{ alpha = 3 }}", "4: model.lora.rank is missing: the rank of the adapters"),
    (RULE, "rule = { p = 0 }", "34: acceptance.rule.p wants a number between 0 and 1, got 0"),
    (RULE, "rule = { p = 1.0 }", "34: acceptance.rule.p wants a number between 0 and 1, got 1.0"),
    (RULE, "rule = { answers = 0 }", "34: acceptance.rule.answers wants a whole number of at least 1, got 0"),
    (RULE, 'rule = { test = "both" }', '34: acceptance.rule.test wants "sampled" or "greedy", got the text "both"'),
    (
        RULE,
        "rule = { margin = 0.02 }",
        "34: acceptance.rule.margin wants a number from -1 to 0: how far it may fall, got",
    ),
    (RULE, "rule = 'greedy'", '34: acceptance.rule wants a table { ... }, got the text "greedy"'),
    ("every  = 50", "every = -1", "35: acceptance.every wants a whole number of at least 0, got -1"),
    ("every  = 50", "spot_check = 1.5", "35: acceptance.spot_check wants a whole number, got 1.5"),
    ('name = "sql"', 'name = "a/b"', '38: run.name wants the name of a folder, got the text "a/b"'),
    ('name = "sql"', 'name = ".."', '38: run.name wants the name of a folder, got the text ".."'),
    ('name = "sql"', "seed = 0.5", "38: run.seed wants a whole number, got 0.5"),
    ('name = "sql"', "sandbox = 4", "38: run.sandbox wants a whole number from 2 to 3, got 4"),
    (
        'name = "sql"',
        'log = "mlflow"',
        '38: run.log wants "tensorboard", "wandb", "trackio" or a list of them, got the te',
    ),
    ('name = "sql"', "limits = { dead = 1.5 }", "38: run.limits.dead wants a number from 0 to 1, got 1.5"),
    ('name = "sql"', "limits = { hours = 0 }", "38: run.limits.hours wants a number above 0, got 0"),
    ('name = "sql"', "workers = 4", '38: run.workers wants "inline", "processes", "ray" or { kind, ... }, got 4'),
    (
        'name = "sql"',
        "workers = { kind = 'ray', ranks = 0 }",
        "38: run.workers.ranks wants a whole number of at least 1",
    ),
    # missing
    (f"[model]\n{PATH}", "", " [model] is missing: it needs model.path, a hub name, a folder, a file.gguf or"),
    (PATH, "", "2: model.path is missing: a hub name, a folder, a file.gguf or"),
    (
        'source   = "questions.jsonl"',
        "",
        '5: data.source is missing: a built-in, a file.jsonl, "file.py:function", ...',
    ),
    (
        'grader = "checks.py:same_on_fresh_rows"',
        "",
        '32: acceptance.grader is missing: a name, "file.py:function" or "sam',
    ),
    ("steps = 300", "", "26: train.steps is missing: an rl stage counts in rounds of sampling and updates"),
    # tables that do not fit
    ("steps = 300", "epochs = 3", "27: an rl stage counts in train.steps, not in train.epochs"),
    ("steps = 300", "steps = 300\nepochs = 3", "28: an rl stage counts in train.steps, not in train.epochs"),
    ('shaping = "overlong"', "", "15: reward gives no reward: say verifier, shaping or model"),
    ('shaping = "overlong"', "shaping = 'x'\nmodel = 'm'", "17: reward has shaping and model: one [[reward]] each"),
    (
        VERIFIER,
        "shaping = 'format'",
        "13: no reward part is a verifier or a reward model: an rl stage needs one to say",
    ),
    (VERIFIER, f"{VERIFIER}\non = 'question'", '15: reward.on: no source "question"; did you mean questions?'),
    (VERIFIER, f"{VERIFIER}\non = []", "15: reward.on names no source: leave it out for all"),
    (
        VERIFIER,
        "model = 'judge'\n[[reward]]\nshaping = 'format'\ngated = true",
        "17: reward.gated pays when a verifier s",
    ),
    (
        VERIFIER,
        "model = 'stage:1'",
        '14: reward.model = "stage:1": no stage of kind reward_model with that number comes',
    ),
    ("max_tokens = 256", "temperature = 0", "24: sampling.temperature wants a number above 0 for rl, got 0"),
    ("max_tokens = 256", "options = { top_p = 0.9 }", "24: sampling.options.top_p is for acceptance only"),
    ("max_tokens = 256", "options = { top_k = 1 }", "24: sampling.options.top_k is for acceptance only"),
    (
        "lr = 2e-6",
        "minibatches = 129",
        "30: train.minibatches = 129: a step has 128 answers (train.prompts x train.group)",
    ),
    (RULE, "rule = { margin = -0.1, gain = 0 }", "34: acceptance.rule has margin, which makes a guard, and gain: one"),
    (
        RULE,
        "rule = { temperature = 0 }",
        '34: acceptance.rule: test = "sampled" needs a temperature above 0, or test =',
    ),
    ("held_out = 0.2", "held_out = 0", "32: acceptance has nothing to judge: no [[data]] has held_out above 0"),
    (
        "every  = 50",
        "source = 'other.jsonl'",
        "6: no [[acceptance]] judges the held-out side of questions: add one, or",
    ),
    (
        "[run]",
        "[[stage]]\nkind = 'rlhf'\n[run]",
        '38: stage.kind wants "sft", "reward_model", "rl" or "preference", got',
    ),
    ("[run]", "[[stage]]\n[run]", '37: stage.kind is missing: "sft", "reward_model", "rl" or "preference"'),
    (
        "[run]",
        "[stage]\nkind = 'rl'\n[run]",
        "37: a stage is written [[stage]], with two brackets, and its tables [stage.t",
    ),
]


@pytest.mark.parametrize(("old", "new", "line"), BAD)
def test_a_bad_edit_is_refused_in_its_line(old: str, new: str, line: str) -> None:
    said = refusal(old, new)
    assert said.startswith(f"sql.toml:{line}"), said


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("train = 1", "1: train is a table: write [train] and its keys"),
        ("\nreward = 'number'", "2: reward is a table: write [reward] or [[reward]] and its keys"),
        (
            "[[data]]\n[[data]]\n[[data.prompt]]\nrole = 1\nx = 1",
            "5: unknown key data.prompt.x; there is role, content",
        ),
        ("[[stage]]\nkind = 'rl'\n[[stage.train]]", "3: [[stage.train]] may not be doubled; only data, reward,"),
        ("[[stage]]\nkind = 'rl'\nstage = 3", "3: unknown key stage.stage; there is model, data, reward, loss"),
        ("[run]\n'' = 3", "2: unknown key run.; there is name, seed"),
        ("'a b' = 3", "1: unknown key a b; there is model, data"),
    ],
)
def test_shapes(text: str, line: str) -> None:
    with pytest.raises(Refused) as caught:
        parse(text, file="r.toml", folder=FIXTURES)
    assert str(caught.value).startswith(f"r.toml:{line}"), str(caught.value)


def test_unknown_keys_are_reported_before_missing_and_mistyped_ones() -> None:
    text = '[train]\ngroup = "8"\n[run]\nsteps = 1\n'
    assert refusal("[run]", "[run]", text) == "sql.toml:4: unknown key run.steps; it is train.steps"


def test_the_first_of_several_unknown_keys_is_reported() -> None:
    assert refusal("[run]", "[run]", "[run]\nsteps = 1\n[train]\nlrr = 1\n").startswith("sql.toml:2: ")


GOOD = [
    ("held_out = 0.2", 'held_out = "other.jsonl"'),
    ("[data]", "[[data]]"),
    ("[[reward]]                   #", "[[reward]]\nmodel = 'judge'\noptions = { any = { word = 1 } }\n[[reward]] #"),
    (CLIP, 'clip = "dual"\nkl = { beta = 0.1 }\n[loss.keep]\nname = "varied"\ncap = 3'),
    (PATH, f"{PATH}\nlora = 0"),
    (PATH, f"{PATH}\nlora = {{ rank = 8, layers = ['q', 'v'] }}"),
    (PROMPT, 'prompt = [{ role = "user", content = "{q}" }, { role = "assistant", content = "" }]'),
    (RULE, "rule = { margin = -0.02 }"),
    (RULE, 'rule = { test = "greedy", temperature = 0.0, max_tokens = 512 }'),
    (RULE, ""),
    ("max_tokens = 256", "options = { top_p = 1.0, top_k = 0, other = 3 }"),
    ("max_tokens = 256", "options = { top_p = 'off', top_k = false }\nstop = '###'"),
    ("lr = 2e-6", "lr = 1\noptimizer = { betas = [0.9, 0.95], weight_decay = 0.1 }\nschedule = { name = 'cosine' }"),
    ('name = "sql"', "workers = { kind = 'ray', ranks = 8, late = 'drop' }\nlog = []\nlimits = { check_seconds = 3 }"),
    ("every  = 50", "every = 50\n[[stage]]\nkind = 'rl'\n[stage.sampling]\ntemperature = 0.7"),
]


@pytest.mark.parametrize(("old", "new"), GOOD)
def test_a_good_edit_is_read(old: str, new: str) -> None:
    assert read(old, new).data[0].name == "questions"


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"[run]\nname = 'caf\xe9'\n")
    (tmp_path / "bom.toml").write_bytes(b"\xef\xbb\xbf" + SQL.encode())
    (tmp_path / "deep.toml").write_text("x = " + "[" * 20000)
    (tmp_path / "huge.toml").write_text("x = " + "9" * 5000)
    for name, line in [
        ("none.toml", f"{tmp_path}/none.toml: cannot be read: no such file or directory"),
        (".", f"{tmp_path}: cannot be read: is a directory"),
        ("latin.toml", "latin.toml:2: not UTF-8 text"),
        ("deep.toml", "deep.toml: not TOML: nested too deeply"),
        ("huge.toml", "huge.toml: not TOML: a number of too many digits"),
    ]:
        with pytest.raises(Refused) as caught:
            load(tmp_path / name)
        assert str(caught.value) == line
    assert load(tmp_path / "bom.toml").run.name == "sql"


def test_every_key_of_every_table_is_refused_elsewhere() -> None:
    """Each of the 60 keys written into [run] is refused; where it lives is said."""
    for key in KEYS:
        table, name = key.split(".")
        if name in TABLES["run"]:
            continue
        with pytest.raises(Refused) as caught:
            parse(f"[run]\n{name} = 1\n", file="r.toml", folder=FIXTURES)
        said = str(caught.value)
        assert said.startswith(f"r.toml:2: unknown key run.{name}; it is ")
        assert f"{table}.{name}" in said
