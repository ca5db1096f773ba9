"""Group -> Batch -> Signal -> Step, or examples -> Step: updates, loops with and without sampling, checkpoints.

Left out: what a step asks (data), who judges (rewards), acceptance, and where things run (workers).
"""

from verigrad.training.checkpoints import load_state, save_state
from verigrad.training.looping import Ended
from verigrad.training.offline import Learner, OfflineLoop, steps_of, train_offline
from verigrad.training.optimizer import learning_rate
from verigrad.training.preference import PreferenceLearner
from verigrad.training.protocol import Workers
from verigrad.training.reward_model import RewardModelLearner
from verigrad.training.rl import Loop, StepTasks, train_rl
from verigrad.training.sft import SftLearner
from verigrad.training.step_metrics import NAMES, TIMINGS, step_metrics
from verigrad.training.update import Trainer

__all__ = [
    "NAMES",
    "TIMINGS",
    "Ended",
    "Learner",
    "Loop",
    "OfflineLoop",
    "PreferenceLearner",
    "RewardModelLearner",
    "SftLearner",
    "StepTasks",
    "Trainer",
    "Workers",
    "learning_rate",
    "load_state",
    "save_state",
    "step_metrics",
    "steps_of",
    "train_offline",
    "train_rl",
]
