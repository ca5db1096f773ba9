"""More answers for the kind `choice`: R(ight), N(ot right), by gold and letters. "⏎" is a line break."""

CASES = r"""
R ~ B ~ ABCD ~ B
R ~ B ~ ABCD ~ b
R ~ B ~ ABCD ~ (B)
R ~ B ~ ABCD ~ B.
R ~ B ~ ABCD ~ Ｂ
R ~ B ~ ABCD ~ （B）
R ~ B ~ ABCD ~ **B**
R ~ B ~ ABCD ~ Answer: B
R ~ B ~ ABCD ~ ANSWER: b
R ~ B ~ ABCD ~ Answer: (B)
R ~ B ~ ABCD ~ **Answer:** B
R ~ B ~ ABCD ~ **Answer: B**
R ~ B ~ ABCD ~ The answer is B.
R ~ B ~ ABCD ~ The correct answer is (B).
R ~ B ~ ABCD ~ The best option is B
R ~ B ~ ABCD ~ The correct choice is B, because the others do not fit.
R ~ B ~ ABCD ~ Option B is correct.
R ~ B ~ ABCD ~ Option B is the answer, I am sure.
R ~ B ~ ABCD ~ I choose B.
R ~ B ~ ABCD ~ It's B
R ~ B ~ ABCD ~ \boxed{B}
R ~ B ~ ABCD ~ \boxed{\text{(B)}}
R ~ B ~ ABCD ~ $\boxed{\mathrm{B}}$
R ~ B ~ ABCD ~ \boxed{\textbf{B}}
R ~ B ~ ABCD ~ <answer>B</answer>
R ~ B ~ ABCD ~ <answer>(b)</answer>
R ~ B ~ ABCD ~ <think>A? C?</think>B
R ~ B ~ ABCD ~ 答案：B
R ~ B ~ ABCD ~ 答案是B。
R ~ B ~ ABCD ~ 正确答案为 B
R ~ B ~ ABCD ~ 故选B
R ~ B ~ ABCD ~ 故选：B．
R ~ B ~ ABCD ~ 应选 B
R ~ B ~ ABCD ~ 选 B
R ~ B ~ ABCD ~ 选B。
R ~ B ~ ABCD ~ 所以选B
R ~ B ~ ABCD ~ 因此应该选 B。
R ~ B ~ ABCD ~ 我选择B
R ~ B ~ ABCD ~ 选项B正确
R ~ B ~ ABCD ~ 【答案】B
R ~ B ~ ABCD ~ 【答案】：B
R ~ B ~ ABCD ~ 答案应该是B
R ~ B ~ ABCD ~ 不是A，而是B
R ~ B ~ ABCD ~ Answer: not A but B
R ~ B ~ ABCD ~ A is tempting.⏎The answer is B.
R ~ B ~ ABCD ~ So the answer is B. Many people choose A.
R ~ B ~ ABCD ~ ANSWER: A⏎Wait, that is a mistake.⏎ANSWER: B
R ~ B ~ ABCD ~ Answer: B, since a lever needs a pivot.
R ~ B ~ ABCD ~ A lever needs a pivot.⏎Answer: B
N ~ B ~ ABCD ~ C
N ~ B ~ ABCD ~ A or B
N ~ B ~ ABCD ~ B or A
N ~ B ~ ABCD ~ A/B
N ~ B ~ ABCD ~ A, B
N ~ B ~ ABCD ~ AB
N ~ B ~ ABCD ~ ABCD
N ~ B ~ ABCD ~ <answer>B or C</answer>
N ~ B ~ ABCD ~ \boxed{A} \boxed{B}
N ~ B ~ ABCD ~ Answer: A⏎Answer: B
N ~ B ~ ABCD ~ A⏎B⏎C⏎D
N ~ B ~ ABCD ~ not B
N ~ B ~ ABCD ~ The answer is not B
N ~ B ~ ABCD ~ 不选B
N ~ B ~ ABCD ~ 答案不是B
N ~ B ~ ABCD ~ 选A或B
N ~ B ~ ABCD ~ 答案是A或者B
N ~ B ~ ABCD ~ B？
N ~ B ~ ABCD ~ 选B吗？
N ~ B ~ ABCD ~ B是错的
N ~ B ~ ABCD ~ B is wrong
N ~ B ~ ABCD ~ maybe B
N ~ B ~ ABCD ~ Bananas
N ~ B ~ ABCD ~ <think>The answer is B
N ~ B ~ ABCD ~ <think>The answer is B</think>I am not sure.
N ~ B ~ ABCD ~ ⏎
R ~ A ~ ABCD ~ Answer: A
R ~ A ~ ABCD ~ A.
R ~ A ~ ABCD ~ The answer is A, a plant.
N ~ A ~ ABCD ~ A good question.
N ~ A ~ ABCD ~ It is a tree.
N ~ I ~ ABCDEFGHIJ ~ I think it depends.
R ~ I ~ ABCDEFGHIJ ~ The answer is I.
R ~ E ~ ABCDEFGHIJ ~ I am sure that option E is correct.
R ~ B, D ~ ABCD ~ ANSWER: B, D
R ~ B, D ~ ABCD ~ ANSWER: D, B
R ~ B, D ~ ABCD ~ BD
R ~ B, D ~ ABCD ~ B and D
R ~ B, D ~ ABCD ~ B, D
R ~ B, D ~ ABCD ~ (B), (D)
R ~ B, D ~ ABCD ~ B & D
R ~ B, D ~ ABCD ~ b, d
R ~ B, D ~ ABCD ~ \boxed{B, D}
R ~ B, D ~ ABCD ~ \boxed{BD}
R ~ B, D ~ ABCD ~ \boxed{\text{B and D}}
R ~ B, D ~ ABCD ~ <answer>B, D</answer>
R ~ B, D ~ ABCD ~ The answers are B and D.
R ~ B, D ~ ABCD ~ The correct options are B and D.
R ~ B, D ~ ABCD ~ Both B and D are correct.
R ~ B, D ~ ABCD ~ 故选BD
R ~ B, D ~ ABCD ~ 故选：BD。
R ~ B, D ~ ABCD ~ 答案：B、D
R ~ B, D ~ ABCD ~ 答案是B和D
R ~ B, D ~ ABCD ~ 选 BD
R ~ BD ~ ABCD ~ D B
N ~ B, D ~ ABCD ~ B
N ~ B, D ~ ABCD ~ D
N ~ B, D ~ ABCD ~ B, C, D
N ~ B, D ~ ABCD ~ ABCD
N ~ B, D ~ ABCD ~ B or D
N ~ B, D ~ ABCD ~ 故选BCD
N ~ B, D ~ ABCD ~ B, maybe D
N ~ B, D ~ ABCD ~ B and not D
N ~ B, D ~ ABCD ~ Answer: B⏎Answer: D
N ~ B, D ~ ABCD ~ BAD
R ~ ACD ~ ABCD ~ A, C, D
R ~ ACD ~ ABCD ~ 故选ACD
R ~ ACD ~ ABCD ~ A, C and D
N ~ ACD ~ ABCD ~ A, C
"""


def rows():
    """(status, gold, letters, answer)."""
    out = []
    for line in CASES.strip("\n").split("\n"):
        status, gold, letters, answer = line.split(" ~ ", 3)
        out.append((status, gold, letters, answer.replace("⏎", "\n")))
    return out
