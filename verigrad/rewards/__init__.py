"""Who gives the reward: verifiers (one kind a file), the user's own checks, shaping, and their sum."""

from verigrad.rewards.compose import Rewards
from verigrad.rewards.judges import Verifier, verifier_of
from verigrad.rewards.options import Option
from verigrad.rewards.shaping import shaping_of, shapings
from verigrad.rewards.shaping.overlong import overlong
from verigrad.rewards.user import OwnCheck
from verigrad.rewards.verifiers import kind, kinds

__all__ = [
    "Option",
    "OwnCheck",
    "Rewards",
    "Verifier",
    "kind",
    "kinds",
    "overlong",
    "shaping_of",
    "shapings",
    "verifier_of",
]
