"""Golds x answers for the kind `blank`: R(ight), W(rong), U(nreadable), N (either). "⏎" is a line break."""

CASES = r"""
R ~ silver ~ silver
R ~ silver ~ Silver
R ~ silver ~ SILVER.
R ~ silver ~ "silver"
R ~ silver ~ **silver**
R ~ silver ~   silver
R ~ silver ~ ｓｉｌｖｅｒ
R ~ silver ~ <answer>silver</answer>
R ~ silver ~ <answer> Silver </answer>
R ~ silver ~ <answer>"silver"</answer>
R ~ silver ~ \boxed{silver}
R ~ silver ~ \boxed{\text{silver}}
R ~ silver ~ The answer is silver.
R ~ silver ~ The missing word is **silver**.
R ~ silver ~ Answer: silver
R ~ silver ~ My vote goes to silver
R ~ silver ~ I choose silver.
N ~ silver ~ I would not choose silver.
N ~ silver ~ My vote never goes to silver
N ~ silver ~ I choose silver or gold
N ~ silver ~ My vote goes to quicksilver
R ~ silver ~ 答案：silver
R ~ silver ~ <think>gold?</think>silver
R ~ silver ~ Gold is too soft.⏎The answer is silver.
R ~ silver ~ #### silver
R ~ silver ~ The answer is gold. No, I meant: the answer is silver.
W ~ silver ~ silver silver
W ~ silver ~ silver or gold
W ~ silver ~ gold
W ~ silver ~ quicksilver
W ~ silver ~ silvery
W ~ silver ~ silver spoon
W ~ silver ~ a silver spoon
W ~ silver ~ not silver
W ~ silver ~ The answer is silver or gold.
N ~ silver ~ The answer is not silver.
W ~ silver ~ <answer>silver, gold</answer>
W ~ silver ~ <answer>silver silver</answer>
W ~ silver ~ sіlver
W ~ silver ~ I would rather not say
U ~ silver ~ Is it silver?
U ~ silver ~ silver?
U ~ silver ~ The answer is silver?
U ~ silver ~ ⏎
U ~ silver ~ <answer></answer>
U ~ silver ~ <answer>silver
U ~ silver ~ <think>silver
U ~ silver ~ <answer>silver</answer><answer>gold</answer>
N ~ silver ~ <answer>silver</answer> is wrong
U ~ silver ~ The answer is silver. That is wrong.
U ~ silver ~ \boxed{gold} \boxed{silver}
W ~ silver ~ silver is wrong
N ~ silver ~ silver⏎gold⏎lead
R ~ New York ~ new   york
R ~ New York ~ New York.
W ~ New York ~ NewYork
W ~ New York ~ New York City
W ~ A ~ Apple pie
W ~ A ~ An A
R ~ A ~ a
R ~ 42 ~ 42
W ~ 42 ~ 42.0
W ~ 42 ~ 142
R ~ 北京 ~ 北京。
R ~ 北京 ~ 答案是北京
W ~ 北京 ~ 北京市
R ~ e.g. ~ e.g.
R ~ ½ ~ 1⁄2
R ~ straße ~ STRASSE
R ~ it is what it is ~ It is what it is.
W ~ olleh ~ hello
"""


def rows():
    """(status, gold, answer)."""
    out = []
    for line in CASES.strip("\n").split("\n"):
        status, gold, answer = line.split(" ~ ", 2)
        out.append((status, gold, answer.replace("⏎", "\n")))
    return out
