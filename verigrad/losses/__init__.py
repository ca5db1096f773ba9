"""How the loss is computed: methods as data, one interpreter, one axis a file. See docs/design.md 4."""

from verigrad.losses.baselines import MODEL_LR, Critic
from verigrad.losses.bradley_terry import bradley_terry
from verigrad.losses.interpreter import PolicyLoss, advantages, idle_rows, policy_loss, value_targets
from verigrad.losses.kls import K1, KlValue
from verigrad.losses.likelihood import nll
from verigrad.losses.method import Method, Needs, check_sizes, diff, needs
from verigrad.losses.methods import METHODS as methods
from verigrad.losses.page import table
from verigrad.losses.preference import (
    PreferenceLoss,
    PreferenceMethod,
    Side,
    build_preference,
    describe_preference,
    preferences,
)
from verigrad.losses.preference_page import preference_table
from verigrad.losses.value import adapted, explained_variance, gae, mean_k1, value_loss
from verigrad.losses.wire import build, describe, sets_elsewhere

__all__ = [
    "K1",
    "MODEL_LR",
    "Critic",
    "KlValue",
    "Method",
    "Needs",
    "PolicyLoss",
    "PreferenceLoss",
    "PreferenceMethod",
    "Side",
    "adapted",
    "advantages",
    "bradley_terry",
    "build",
    "build_preference",
    "check_sizes",
    "describe",
    "describe_preference",
    "diff",
    "explained_variance",
    "gae",
    "idle_rows",
    "mean_k1",
    "methods",
    "needs",
    "nll",
    "policy_loss",
    "preference_table",
    "preferences",
    "sets_elsewhere",
    "table",
    "value_loss",
    "value_targets",
]
