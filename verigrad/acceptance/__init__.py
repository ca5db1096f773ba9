"""Who accepts the result: graders that read for themselves, answers before and after, a rule fixed beforehand.

Never reaches rollouts, training, rewards or losses; the training verifier is handed over as a function. Left out: which
items are held out (data), where the numbers are written (runs).
"""

from verigrad.acceptance.decide import Gains, Rule, compare_best, decide, few_items, gains, overall, sharpened
from verigrad.acceptance.golds import Checked, Unaccepted, as_answer, check_golds
from verigrad.acceptance.graders import names as grader_names
from verigrad.acceptance.headline import headline, lines
from verigrad.acceptance.measure import Measured, Sampler, accuracy, measure, pair
from verigrad.acceptance.opening import Grader, open_grader
from verigrad.acceptance.spot_check import spot_check

__all__ = [
    "Checked",
    "Gains",
    "Grader",
    "Measured",
    "Rule",
    "Sampler",
    "Unaccepted",
    "accuracy",
    "as_answer",
    "check_golds",
    "compare_best",
    "decide",
    "few_items",
    "gains",
    "grader_names",
    "headline",
    "lines",
    "measure",
    "open_grader",
    "overall",
    "pair",
    "sharpened",
    "spot_check",
]
