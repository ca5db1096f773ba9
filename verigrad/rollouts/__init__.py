"""Task x Sampler x reward -> Group: drawing, judging, keeping, refilling, and the pilot's numbers.

Left out: how tokens are drawn (sampling), who pays (rewards), what is done with a group (training).
"""

from verigrad.rollouts.collect import Collected, Keep, collect, judge_step, select
from verigrad.rollouts.draws import DrawPlan, requests_for, rollouts_from
from verigrad.rollouts.signal_check import PilotNumbers, advice, carrying, pilot_numbers

__all__ = [
    "Collected",
    "DrawPlan",
    "Keep",
    "PilotNumbers",
    "advice",
    "carrying",
    "collect",
    "judge_step",
    "pilot_numbers",
    "requests_for",
    "rollouts_from",
    "select",
]
