"""Who accepts the result: graders that read for themselves, answers before and after, a rule fixed beforehand.

Never reaches rollouts, training, rewards or losses; the training verifier is handed over as a function. Left out: which
items are held out (data), where the numbers are written (runs).
"""

from verigrad.acceptance.curves import pass_gains
from verigrad.acceptance.decide import (
    Gains,
    Rule,
    compare_best,
    decide,
    decide_gains,
    few_items,
    gains,
    overall,
    sharpened,
)
from verigrad.acceptance.golds import Checked, Unaccepted, as_answer, check_golds
from verigrad.acceptance.graders import names as grader_names
from verigrad.acceptance.headline import headline, lines, with_holm
from verigrad.acceptance.judged_pairs import PairNumbers, judged_pairs
from verigrad.acceptance.measure import Measured, Sampler, accuracy, measure, pair
from verigrad.acceptance.off_task import (
    OffTask,
    OffTaskAnswer,
    fixed_text,
    measure_off_task,
    off_task_change,
    off_task_lines,
    off_task_numbers,
)
from verigrad.acceptance.opening import Grader, open_grader
from verigrad.acceptance.spot_check import spot_check
from verigrad.acceptance.task_format import TaskFormat, task_format
from verigrad.acceptance.versus import versus, versus_lines

__all__ = [
    "Checked",
    "Gains",
    "Grader",
    "Measured",
    "OffTask",
    "OffTaskAnswer",
    "PairNumbers",
    "Rule",
    "Sampler",
    "TaskFormat",
    "Unaccepted",
    "accuracy",
    "as_answer",
    "check_golds",
    "compare_best",
    "decide",
    "decide_gains",
    "few_items",
    "fixed_text",
    "gains",
    "grader_names",
    "headline",
    "judged_pairs",
    "lines",
    "measure",
    "measure_off_task",
    "off_task_change",
    "off_task_lines",
    "off_task_numbers",
    "open_grader",
    "overall",
    "pair",
    "pass_gains",
    "sharpened",
    "spot_check",
    "task_format",
    "versus",
    "versus_lines",
    "with_holm",
]
