"""Answers x golds for the number verifier: status by the letter R(ight), W(rong), U(nreadable), X (ungraded)."""

PROMPT = "What is 8 * 10?"

# for gold 80, asked "What is 8 * 10?"
EIGHTY = """
R|80
R|80.
R|80!
R|+80
R|80.0
R|80.000
R|８０
R| 80\\n
R|$80
R|$80.00
R|80 apples
R|80cm
R|80 cm
R|80°
R|**80**
R|`80`
R|"80"
R|(80)
R|$80$
R|$$80$$
R|\\(80\\)
R|\\[80\\]
R|x = 80
R|x=80
R|8 * 10 = 80
R|8 x 10 = 80.
R|8 × 10 = 80
R|$8 \\times 10 = 80$
R|$8 \\cdot 10 = 80$
R|8*10=80
R|8 * 10 = 8 * 5 * 2 = 80
R|8 times 10 is 80
R|8 times 10 equals 80.
R|8 multiplied by 10 makes 80
R|The product of 8 and 10 is 80.
R|The answer is 80.
R|The answer is: 80
R|the final answer is **80**.
R|Answer: 80
R|ANSWER: 80
R|Final answer:\\n80
R|Answer = 80
R|The correct answer is 80, since ten eights make it.
R|答案是80。
R|答案：80
R|因此答案为 80
R|#### 80
R|8*10=<<8*10=80>>80\\n#### 80
R|#### $80
R|\\boxed{80}
R|\\boxed{ 80 }
R|$\\boxed{80}$
R|\\boxed{\\text{80}}
R|\\boxed{80.0}
R|\\boxed{80 \\text{ apples}}
R|\\fbox{80}
R|\\boxed{x = 80}
R|The answer is $\\boxed{80}$.
R|The final answer is \\boxed{80} (that is 8 tens).
R|\\boxed{80} and once more \\boxed{80.0}
R|<answer>80</answer>
R|<answer>\\boxed{80}</answer>
R|<ANSWER> 80 </ANSWER>
R|<think>maybe 79</think>80
R|<think>79</think><answer>80</answer>
R|<reasoning>8 tens</reasoning>\\n80
R|so 79? no.</think>80
R|8.0e1
R|8e1
R|0.8e2
R|8 \\times 10^1
R|8 × 10¹
R|8.0 * 10^{1}
R|800e-1
R|00080
R|80 is the answer
R|So we get 80
R|First 8 tens. Then the total is 80.
R|Answer: 79. Wait, that is wrong. Answer: 80
R|\\boxed{79}\\nNo, I made a mistake.\\n\\boxed{80}
R|80\\n80
R|The result is 80, I am sure
R|8 * 10 is 8 * 9 + 8, which gives 80
R|8 * 10 -> 80
W|8
W|10
W|81
W|79.999
W|-80
W|−80
W|80.0000000001
W|80%
W|8000%
W|8000\\%
W|80 percent
W|\\boxed{80\\%}
W|8 * 10 = 90
W|The answer is 18.
U|8,0e1
W|1/80
W|160/3
W|80 1/2
W|8e2
W|#### 800
U|
U|\\n
U|eighty
U|I don't know.
U|答案不是 80
U|答案不为80
U|8 * 10
U|8*10
U|8 x 10
U|8 × 10
U|$8 \\times 10$
U|\\boxed{8 * 10}
U|\\boxed{8 \\cdot 10}
U|8 times 10
U|8 * 10 =
U|8 * 10 = ?
U|What is 8 * 10?
U|What is 80
U|What is 80?
U|Is it 80?
U|The answer is 8 * 10
U|The answer is 8 * 10.
U|90 or 80
U|80 or 90
U|Answer: 80 or 90
U|either 80
U|x = 90 or x = 80
U|x = 90, x = 80
U|\\boxed{90 \\text{ or } 80}
U|\\boxed{80, 90}
U|80, 90
U|80 90
U|[80, 90]
U|between 79 and 80
U|79-80
U|79–80
U|80 to 90
U|80 ± 1
U|80 (or so)
U|79\\n80
U|\\boxed{79}\\boxed{80}
U|\\boxed{79} \\boxed{80}
U|\\boxed{79}\\n80
U|#### 79\\n#### 80
U|<answer>79</answer><answer>80</answer>
U|Answer: 79\\nAnswer: 80
U|8 * 10 = 90 = 80
U|8 * 10 = 90, 8 * 10 = 80
U|90 = 80
U|not 80
U|The answer is not 80
U|It isn't 80
U|less than 80
U|more than 80
U|at least 80
U|x > 79
U|x < 81
U|80 +
U|80 *
U|40 + 40
U|100 - 20
U|160/2
U|\\frac{160}{2}
U|80/1
U|2^4 * 5
U|80^1
U|80!!5
U|\\boxed{80!}
U|\\sqrt{6400}
U|80\\pi
U|80i
U|80x
U|80th
U|80k
U|80 thousand
U|80 million
U|8 dozen
U|80_9
U|x80
U|1.2.3
U|8.0e
U|80e
U|\\boxed{80
U|\\boxed{}
U|\\boxed{?}
U|<answer>80
U|<answer></answer>
U|<think>80
U|<think>80</think>
U|<think>the answer is \\boxed{80}
U|10^10^10
U|8 * 10 = 8 * 10
U|1) 80
U|八十
U|80 squared
U|- 80
U|- 80 = 80.5
"""

# gold | answer
OTHERS = """
R|1640|1,640
R|1640|\\boxed{1{,}640}
R|1640|1\\,640
R|23456789|23,456,789
R|23456789|$23,456,789$
W|1640|1,641
U|1640|1,64
U|12345|12,34,5
R|3/4|3/4
R|3/4|0.75
R|3/4|.75
R|3/4|75%
R|3/4|75 \\%
R|3/4|75 percent
R|3/4|\\frac{3}{4}
R|3/4|\\dfrac{3}{4}
R|3/4|\\tfrac34
R|3/4|\\frac34
R|3/4|¾
R|3/4|6/8
R|3/4|7.5e-1
R|3/4|7.5 \\times 10^{-1}
R|3/4|0,75
W|3/4|4/3
W|3/4|75
W|3/4|0.7500001
U|3/4|3 / 4
U|3/4|3/
U|3/4|3:4
U|3/4|1/2 + 1/4
R|\\frac{3}{4}|.75
R|0.75|3/4
R|11/4|2 3/4
R|11/4|2¾
R|11/4|2\\frac{3}{4}
R|11/4|2.75
R|-11/4|-2 3/4
R|-11/4|-2\\frac{3}{4}
R|-11/4|−2.75
W|-5/4|-2 3/4
U|11/4|2 + 3/4
U|7/2|2 3/2
R|-6|-6
R|-6|−6
R|-6|–6
R|-6|－6
R|-6|That leaves us at -6
R|-6|Answer: -6
R|-6|negative 6
R|-6|\\boxed{- 6}
R|-6|\\frac{-12}{2}x = -6
R|-6|x=-6
W|-6|6
U|-6|6 - 12
U|-6|- 6
R|-3/4|-\\frac{3}{4}
R|-3/4|\\frac{-3}{4}
R|-5|-$5
R|37|#### 37.
R|0|0
R|0|0.00
R|0|-0
R|0.375|0,375
W|0.375|375
W|0.375|O.375
W|375|0,375
R|36%|36%
R|36%|0.36
R|36\\%|\\boxed{36 percent}
W|36%|36
R|150%|1.5
R|150%|150%
W|1.5|150%
R|0.0025|\\frac{1}{4}\\%
R|0.0025|0.25%
R|1200|1.2e3
R|1200|1.2 × 10³
R|1200|1.2 x 10^3
R|1.2e3|1200
R|1e-3|0.001
W|1e-3|0.0010001
R|... so 5\\n#### 37|37
R|so \\boxed{37}|37
X||42
X|see the figure|42
X|x|42
X|5 apples|5
X|2^10|1024
X|8 * 10|80
X|10^10^10|80
X|1e99999|80
X|3/0|80
X|\\sqrt{2}|1.41
"""
