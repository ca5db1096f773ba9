"""Your grader: replace it. The answer is the model's text; never trust it, never evaluate it.

`task` has .gold (here the better answer), .columns (the row's other columns) and .prompt. Return True (accepted), False
(not), a number between or None (this could not be judged at all).
"""

import re


def explains(answer, task):
    """The same last number as the better answer, at the end of at least six words."""
    numbers, wanted = re.findall(r"\d+", answer[:1000]), re.findall(r"\d+", task.gold)
    return len(re.findall(r"[A-Za-z]+", answer[:1000])) >= 6 and numbers[-1:] == wanted[-1:]
