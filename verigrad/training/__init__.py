"""Group -> Batch -> Signal -> Step: the updates, the rl loop, checkpoints.

Left out: what a step asks (data), who judges (rewards), acceptance, and where things run (workers).
"""

from verigrad.training.checkpoints import load_state, save_state
from verigrad.training.optimizer import learning_rate
from verigrad.training.protocol import Workers
from verigrad.training.rl import Ended, Loop, StepTasks, train_rl
from verigrad.training.step_metrics import NAMES, TIMINGS, step_metrics
from verigrad.training.update import Trainer

__all__ = [
    "NAMES",
    "TIMINGS",
    "Ended",
    "Loop",
    "StepTasks",
    "Trainer",
    "Workers",
    "learning_rate",
    "load_state",
    "save_state",
    "step_metrics",
    "train_rl",
]
